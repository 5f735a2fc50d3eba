extension IdentityMap {
  /// An object of a key that nobody has yet, whose slots are read when they are touched; nil when an object cannot be
  /// made before its row is read.
  func makeFault(for key: Int64, in group: FetchGroup) -> AnyObject? {
    func make<T: PersistentModel>(_ type: T.Type) -> AnyObject? { objectOrFault(for: key, as: type, in: group) }
    return entity.isMadeOfItsRow ? nil : make(modelType)
  }

  /// The object of a row that could not be read: it waits for the row. Nil when no object can be made without that.
  package func unreadObject<T: PersistentModel>(for key: Int64, as type: T.Type) -> T? {
    entity.isMadeOfItsRow ? nil : objectOrFault(for: key, as: type)
  }

  /// The living object of a key, or one whose slots are read when they are touched.
  func objectOrFault<T: PersistentModel>(for key: Int64, as type: T.Type, in group: FetchGroup? = nil) -> T? {
    if let known = object(for: key) { return unsafeDowncast(known, to: T.self) }
    let object = NullRowReader.make(type, in: self)
    object._$register(key, in: self, flags: .fault)
    if let group { object._$join(group, key: key) }
    return object
  }
}

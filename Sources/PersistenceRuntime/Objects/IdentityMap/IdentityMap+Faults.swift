extension IdentityMap {
  /// Creates a fault for a key without an object; nil if the type cannot be instantiated before its row is read, and for
  /// a key that is none, or of which a read found no row.
  func makeFault(for key: Int64, in group: FetchGroup) -> AnyObject? {
    func make<T: PersistentModel>(_ type: T.Type) -> AnyObject? { objectOrFault(for: key, as: type, in: group) }
    guard !entity.isMadeOfItsRow, key != 0, missingKeys.isEmpty || !missingKeys.contains(key) else { return nil }
    return make(modelType)
  }

  /// A fault for a row whose read failed; nil if the type cannot be instantiated before its row is read.
  package func unreadObject<T: PersistentModel>(for key: Int64, as type: T.Type) -> T? {
    entity.isMadeOfItsRow ? nil : objectOrFault(for: key, as: type)
  }

  /// The living object of a key, or a new fault.
  func objectOrFault<T: PersistentModel>(for key: Int64, as type: T.Type, in group: FetchGroup? = nil) -> T? {
    if let known = object(for: key) { return unsafeDowncast(known, to: T.self) }
    let object = NullRowReader.make(type, in: self)
    object._$register(key, in: self, flags: .fault)
    if let group { object._$join(group, key: key) }
    return object
  }
}

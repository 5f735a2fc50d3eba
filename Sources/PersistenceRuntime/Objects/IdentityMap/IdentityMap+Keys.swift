extension IdentityMap {
  /// The primary key of an object of the map.
  package func key(of object: AnyObject) -> Int64 {
    func key<T: PersistentModel>(_ type: T.Type) -> Int64 {
      unsafeDowncast(object, to: T.self)._$state.pointee.primaryKey
    }
    return key(modelType)
  }

  /// The primary keys of objects of the map.
  package func keys(of objects: ContiguousArray<AnyObject>) -> [Int64] {
    func keys<T: PersistentModel>(_ type: T.Type) -> [Int64] {
      objects.map { unsafeDowncast($0, to: T.self)._$state.pointee.primaryKey }
    }
    return keys(modelType)
  }
}

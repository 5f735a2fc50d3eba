extension ModelContext {
  /// The map of an entity; nil when the schema of the container does not have it.
  func identityMap(for type: any PersistentModel.Type) -> IdentityMap? {
    let identifier = ObjectIdentifier(type)
    if let lastMap, lastMap.type == identifier { return lastMap.map }
    guard let map = identityMaps[identifier] ?? makeIdentityMap(for: type) else { return nil }
    lastMap = (identifier, map)
    return map
  }

  private func makeIdentityMap(for type: any PersistentModel.Type) -> IdentityMap? {
    guard let (store, layout) = stores.layout(of: type) else { return nil }
    let map = IdentityMap(entity: layout, store: store, context: self)
    identityMaps[ObjectIdentifier(type)] = map
    return map
  }

  /// The map of an entity, or the error that says that there is none.
  func requireIdentityMap(for type: any PersistentModel.Type) throws -> IdentityMap {
    guard let map = identityMap(for: type) else { throw stores.unknownModel(type) }
    return map
  }

  /// The transaction in which this context sees its uncommitted rows.
  func openTransaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    transactionLog?.transaction(of: store)
  }
}

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
    if !subscriptions.contains(where: { $0 === store }) {
      subscriptions.append(store)
      store.subscribers.add(inbox)
    }
    noteFirstUse(of: store)
    let root = layout.inheritance.flatMap { $0.isRoot ? nil : identityMap(for: $0.rootType) }
    let map = IdentityMap(entity: layout, store: store, context: self, root: root)
    identityMaps[ObjectIdentifier(type)] = map
    return map
  }

  /// A map, and those of the entities that inherit from its own as far as this context has come across them.
  func family(of map: IdentityMap) -> [IdentityMap] {
    guard let inheritance = map.entity.inheritance else { return [map] }
    return [map] + inheritance.subentities.compactMap { identityMaps[ObjectIdentifier($0.modelType)] }
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

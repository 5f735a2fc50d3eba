import PersistenceRuntime

extension ModelContext {
  /// The map of an entity; nil if the schema does not have it.
  func identityMap(for type: any PersistentModel.Type) -> IdentityMap? { changes(for: type)?.map }

  /// The changes of an entity; nil if the schema does not have it.
  func changes(for type: any PersistentModel.Type) -> EntityChanges? {
    let identifier = ObjectIdentifier(type)
    if let lastChanges, lastChanges.type == identifier { return lastChanges.changes }
    guard let changes = entityChanges[identifier] ?? makeChanges(for: type) else { return nil }
    lastChanges = (identifier, changes)
    return changes
  }

  private func makeChanges(for type: any PersistentModel.Type) -> EntityChanges? {
    guard let (store, layout) = stores.layout(of: type) else { return nil }
    if !subscriptions.contains(where: { $0 === store }) {
      subscriptions.append(store)
      store.subscribers.add(inbox)
    }
    noteFirstUse(of: store)
    let root = layout.inheritance.flatMap { $0.isRoot ? nil : changes(for: $0.rootType) }
    let map = IdentityMap(
      entity: layout, store: store, observation: observation, root: root?.map, ownerType: EntityChanges.self)
    let made = EntityChanges(of: map, in: self, root: root)
    if isHidden { made.hideContext(true) }
    entityChanges[ObjectIdentifier(type)] = made
    return made
  }

  /// The changes of an entity and of those that inherit from it, if the context has used them.
  package func family(of map: IdentityMap) -> [EntityChanges] {
    guard let changes = map.changes else { return [] }
    guard let inheritance = map.entity.inheritance else { return [changes] }
    return [changes] + inheritance.subentities.compactMap { entityChanges[ObjectIdentifier($0.modelType)] }
  }

  /// - Throws: If the schema does not have the entity.
  package func requireIdentityMap(for type: any PersistentModel.Type) throws -> IdentityMap {
    try requireChanges(for: type).map
  }

  /// - Throws: If the schema does not have the entity.
  func requireChanges(for type: any PersistentModel.Type) throws -> EntityChanges {
    guard let changes = changes(for: type) else { throw stores.unknownModel(type) }
    return changes
  }

  /// The open transaction of a store, through which the context reads its own uncommitted rows.
  package func openTransaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    transactionSnapshot?.transaction(of: store)
  }
}

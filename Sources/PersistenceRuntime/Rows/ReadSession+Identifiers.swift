// The entities of identifiers in values.

extension ReadSession {
  /// The entity of the rows, for identifiers.
  package var storeEntity: StoreEntity {
    if let knownEntity { return knownEntity }
    let entity = identityMap.store.storeEntity(of: self.entity)
    knownEntity = entity
    return entity
  }

  /// The entity of a related model, for identifiers.
  package func storeEntity(of type: any PersistentModel.Type) -> StoreEntity? {
    let identifier = ObjectIdentifier(type)
    if let known = referencedEntities.first(where: { $0.type == identifier }) { return known.entity }
    guard let layout = identityMap.store.layout(of: type) else { return nil }
    let entity = identityMap.store.storeEntity(of: layout)
    referencedEntities.append((identifier, entity))
    return entity
  }
}

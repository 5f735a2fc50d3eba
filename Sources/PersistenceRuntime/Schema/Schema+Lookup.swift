extension Schema {
  /// Returns the entity of a model, or nil if the schema does not have it.
  ///
  /// A model of another version that happens to share the name of an entity is not that entity.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    entity(ofModel: type)
  }

  /// Returns the name that the entity of a model has in any schema: the name of the type without its module and
  /// the types around it.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String {
    entityName(ofModel: type)
  }

  /// Returns the entity of a model whose type is only known at run time.
  package func entity(ofModel type: any PersistentModel.Type) -> Entity? {
    if let entity = entitiesByType[ObjectIdentifier(type)] { return entity }
    guard let entity = entitiesByName[Self.entityName(ofModel: type)], entity.modelType == nil else { return nil }
    return entity
  }

  /// Returns the name of the entity of a model whose type is only known at run time.
  package static func entityName(ofModel type: any PersistentModel.Type) -> String {
    String(describing: type)
  }

  /// The entities that inherit from one directly, in an order that does not depend on how models were listed: columns
  /// of a hierarchy get their names in it.
  package func subentitiesInOrder(of entity: Entity) -> [Entity] {
    entities.filter { $0.superentity === entity }.sorted { $0.name < $1.name }
  }
}

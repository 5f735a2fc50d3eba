extension Schema {
  /// Returns the entity of a model type.
  ///
  /// - Parameter type: The model type. One of another version with the same name has another entity.
  /// - Returns: The entity; nil if the schema lacks it.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    entity(ofModel: type)
  }

  /// Returns the name of a model type's entity: the name of the type without module and enclosing types.
  ///
  /// - Parameter type: The model type.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String {
    entityName(ofModel: type)
  }

  /// The entity of a model type known at run time.
  package func entity(ofModel type: any PersistentModel.Type) -> Entity? {
    if let entity = entitiesByType[ObjectIdentifier(type)] { return entity }
    guard let entity = entitiesByName[Self.entityName(ofModel: type)], entity.modelType == nil else { return nil }
    return entity
  }

  /// The entity name of a model type known at run time.
  package static func entityName(ofModel type: any PersistentModel.Type) -> String {
    String(describing: type)
  }

  /// The direct subentities, in an order independent of the list of models: it determines the columns of a hierarchy.
  package func subentitiesInOrder(of entity: Entity) -> [Entity] {
    entities.filter { $0.superentity === entity }.sorted { $0.name < $1.name }
  }
}

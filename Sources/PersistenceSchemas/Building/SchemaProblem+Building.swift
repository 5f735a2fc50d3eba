import PersistenceRuntime

// Problems that are found while a schema is built. ``SchemaChecks`` finds all other problems in the built schema.

extension SchemaProblem {
  static func unknownMetadata(entity: String, property: String) -> SchemaProblem {
    SchemaProblem(
      .unknownMetadata, entity: entity, property: property,
      """
      \(entity).\(property): its metadata is neither an attribute nor a relationship. \
      Describe it with Schema.Attribute or Schema.Relationship.
      """
    )
  }

  static func modelTakenForValue(entity: String, property: String, destination: String) -> SchemaProblem {
    SchemaProblem(
      .modelTakenForValue, entity: entity, property: property,
      """
      \(entity).\(property): its type \(destination) is a model, and @Model takes it for a value by its name, so neither \
      an inverse nor a list would be kept. Write @Relationship before the property, or rename the model.
      """
    )
  }

  static func modelOutOfRow(entity: String, property: String, type: any Any.Type) -> SchemaProblem {
    SchemaProblem(
      .modelOutOfRow, entity: entity, property: property,
      """
      \(entity).\(property): its type is \(type), and a relationship is neither encrypted nor kept in a file. \
      Take .encrypt and .externalStorage out of @Attribute, and write them on properties of the related model.
      """
    )
  }

  static func unresolvedKeyPath(entity: String, location: String, type: any Any.Type) -> SchemaProblem {
    SchemaProblem(
      .unresolvedKeyPath, entity: entity,
      """
      \(entity): \(location) (of type \(type)) names no stored property of \(entity). \
      A rule can name stored properties only: no computed or transient ones, and no parts of their values. \
      A rule over inherited properties belongs to the class that declares them.
      """
    )
  }

  static func inverseIsNoRelationship(entity: String, property: String, destination: String) -> SchemaProblem {
    SchemaProblem(
      .inverseIsNoRelationship, entity: entity, property: property,
      """
      \(entity).\(property): its inverse is no relationship of \(destination). \
      Name the relationship of \(destination) that leads back to \(entity), or remove `inverse:`.
      """
    )
  }
}

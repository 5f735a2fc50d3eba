import PersistenceRuntime
import PersistenceSupport

extension SchemaChecks {
  func attributeProblems(of entity: Schema.Entity) -> [SchemaProblem] {
    entity.storedAttributes.flatMap { attribute in
      [
        storabilityProblem(of: attribute, in: entity),
        transformerProblem(of: attribute, in: entity),
        encryptionProblem(of: attribute, in: entity),
        defaultProblem(of: attribute, in: entity),
      ].compactMap { $0 }
    }
  }

  private func storabilityProblem(of attribute: Schema.Attribute, in entity: Schema.Entity) -> SchemaProblem? {
    let type = PropertyType(attribute.valueType)
    if attribute.isTransformable || type.isUnknown { return nil }
    switch type.kind {
    case .otherCollection(let model):
      return Self.wrongCollection(of: model, attribute, type, in: entity)
    case .toOne, .toMany:
      return Self.modelAsValue(attribute, in: entity)
    case .value:
      guard !type.isCodable, !(attribute is Schema.CompositeAttribute) else {
        return Self.defaultElsewhere(attribute, type, in: entity)
      }
      return Self.unstorable(attribute, type, in: entity)
    }
  }

  private static func wrongCollection(
    of model: any PersistentModel.Type, _ attribute: Schema.Attribute, _ type: PropertyType, in entity: Schema.Entity
  ) -> SchemaProblem {
    SchemaProblem(
      .modelsInOtherCollection, entity: entity.name, property: attribute.name,
      """
      \(entity.name).\(attribute.name): models are related by arrays only, and its type is \(type.wrapped). \
      Make it [\(model)], or mark it with @Transient.
      """
    )
  }

  private static func modelAsValue(_ attribute: Schema.Attribute, in entity: Schema.Entity) -> SchemaProblem {
    SchemaProblem(
      .typeNotStorable, entity: entity.name, property: attribute.name,
      """
      \(entity.name).\(attribute.name): a model cannot be the value of an attribute. \
      Describe the property with Schema.Relationship.
      """
    )
  }

  /// Reports a default whose raw value the schema needs but cannot read on the current actor, because the enum's
  /// conformance to `RawRepresentable` is isolated to another actor.
  private static func defaultElsewhere(
    _ attribute: Schema.Attribute, _ type: PropertyType, in entity: Schema.Entity
  ) -> SchemaProblem? {
    guard attribute.defaultValue != nil, RawStorage.type(of: type.wrapped) != nil,
      !ActorConformance.hasRawValuesHere(type.wrapped)
    else { return nil }
    return SchemaProblem(
      .defaultOfAnotherType, entity: entity.name, property: attribute.name,
      """
      \(entity.name).\(attribute.name): it has a default, and \(type.wrapped) has its raw values on an actor that the \
      schema is not read on. Declare \(type.wrapped) as 'nonisolated', or make the schema on that actor.
      """
    )
  }

  private static func unstorable(
    _ attribute: Schema.Attribute, _ type: PropertyType, in entity: Schema.Entity
  ) -> SchemaProblem {
    let way = type.wrapped is AnyClass ? "Make \(type.wrapped) a @Model or Codable" : "Make \(type.wrapped) Codable"
    return SchemaProblem(
      .typeNotStorable, entity: entity.name, property: attribute.name,
      """
      \(entity.name).\(attribute.name): its type \(type.wrapped) cannot be stored, being neither Codable nor a model. \
      \(way), name a transformer with @Attribute(.transformable(by:)), or mark the property with @Transient.
      """
    )
  }

  private func transformerProblem(of attribute: Schema.Attribute, in entity: Schema.Entity) -> SchemaProblem? {
    let isDecoded = PropertyType(attribute.valueType).isUnknown && attribute.keypath == nil
    guard attribute.isTransformable, attribute.transformer == nil, !isDecoded else { return nil }
    let name = attribute.options.lazy.compactMap(\.transformerName).first ?? ""
    return SchemaProblem(
      .unknownTransformer, entity: entity.name, property: attribute.name,
      """
      \(entity.name).\(attribute.name): no value transformer is registered by the name \(quoted(name)). \
      Call ValueTransformer.setValueTransformer(_:forName:) before the container is opened.
      """
    )
  }

  /// Reports `.encrypt` on an attribute that has no generated code for encryption, because its values would be stored
  /// unencrypted.
  private func encryptionProblem(of attribute: Schema.Attribute, in entity: Schema.Entity) -> SchemaProblem? {
    guard attribute.options.contains(.encrypt), !attribute.isOutOfRow, attribute.keypath != nil else { return nil }
    return SchemaProblem(
      .encryptionOutOfSight, entity: entity.name, property: attribute.name,
      """
      \(entity.name).\(attribute.name): it is to be encrypted, but the model was not compiled for that. \
      Write @Attribute(.encrypt) with that word on the property of a @Model class.
      """
    )
  }

  private func defaultProblem(of attribute: Schema.Attribute, in entity: Schema.Entity) -> SchemaProblem? {
    let type = PropertyType(attribute.valueType)
    guard let value = attribute.defaultValue, !type.isUnknown else { return nil }
    guard DefaultValue.conforming(value, to: type.wrapped) == nil else { return nil }
    return SchemaProblem(
      .defaultOfAnotherType, entity: entity.name, property: attribute.name,
      """
      \(entity.name).\(attribute.name): its default is of type \(Swift.type(of: value)), and the property of type \
      \(type.wrapped). Give it a default of its own type.
      """
    )
  }
}

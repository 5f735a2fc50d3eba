import PersistenceRuntime

/// Layouts for a schema that was decoded from a store, whose model classes may no longer exist.
///
/// These layouts describe tables and columns in the same way as the layouts of models, but cannot create objects.
extension EntityLayout {
  package static func layouts(ofStored schema: Schema) -> [EntityLayout] {
    var stored = StoredLayouts(schema)
    return schema.entities.map { stored.layout(of: $0) }
  }
}

/// Computes the layout of each entity in a decoded schema. The layout of an entity contains those of its subentities.
private struct StoredLayouts {
  private let schema: Schema
  private var made: [ObjectIdentifier: EntityLayout] = [:]

  init(_ schema: Schema) {
    self.schema = schema
  }

  mutating func layout(of entity: Schema.Entity) -> EntityLayout {
    if let known = made[ObjectIdentifier(entity)] { return known }
    var subentities: [EntityLayout] = []
    for subentity in schema.subentitiesInOrder(of: entity) { subentities += layout(of: subentity).family }
    let layout = makeLayout(of: entity, subentities: subentities)
    made[ObjectIdentifier(entity)] = layout
    return layout
  }

  private func makeLayout(of entity: Schema.Entity, subentities: [EntityLayout]) -> EntityLayout {
    let properties = entity.properties.enumerated().map { layout(of: $1, at: $0, in: entity) }
    return EntityLayout.layout(
      of: entity, modelType: AbsentModel.self, properties: properties,
      inheritance: inheritance(of: entity, properties, subentities))
  }

  private func inheritance(
    of entity: Schema.Entity, _ properties: [PropertyLayout], _ subentities: [EntityLayout]
  ) -> EntityInheritance? {
    let superentities = entity.superentities
    guard !superentities.isEmpty || !subentities.isEmpty else { return nil }
    return EntityInheritance(
      rootName: (superentities.last ?? entity).name, rootType: AbsentModel.self,
      superentityNames: superentities.map(\.name),
      firstPositions: [0] + superentities.reversed().map(\.properties.count), subentities: subentities,
      properties: properties)
  }

  private func layout(of property: any SchemaProperty, at position: Int, in entity: Schema.Entity) -> PropertyLayout {
    let type = PropertyType(property.valueType)
    let attribute = property as? Schema.Attribute
    let relationship = (property as? Schema.Relationship).map { layout(of: $0, at: position, in: entity) }
    let form = attribute.map { AttributeForm($0) }
    return PropertyLayout(
      name: property.name, position: position, keyPath: \AbsentModel.self, valueType: type.wrapped,
      isOptional: property.isOptional, isUnique: entity.allUniquenessConstraints.contains([property.name]),
      defaultValue: nil, kind: kind(attribute, relationship), columns: columns(form, relationship),
      attribute: attribute, relationship: relationship, outOfRowValue: form.flatMap { OutOfRowValue($0, of: entity) })
  }

  private func kind(_ attribute: Schema.Attribute?, _ relationship: RelationshipLayout?) -> PropertyKind {
    guard let relationship else { return attribute?.isTransformable == true ? .transformable : .attribute }
    return relationship.isToMany
      ? .toMany(destination: relationship.destination) : .toOne(destination: relationship.destination)
  }

  private func columns(_ form: AttributeForm?, _ relationship: RelationshipLayout?) -> [ColumnLayout] {
    if let relationship {
      guard relationship.storage == .column else { return [] }
      return [ColumnLayout(name: relationship.name, format: .reference, isOptional: relationship.isOptional)]
    }
    return form?.columns ?? []
  }

  private func layout(
    of relationship: Schema.Relationship, at position: Int, in entity: Schema.Entity
  ) -> RelationshipLayout {
    let destination = schema.entitiesByName[relationship.destination]
    let inverse = relationship.inverseName.flatMap { destination?.property(named: $0) as? Schema.Relationship }
    let index = inverse.flatMap { inverse in destination?.properties.firstIndex { $0.name == inverse.name } }
    return RelationshipLayout(
      relationship, to: AbsentModel.self, position: position, of: entity.declaringEntity(of: relationship.name).name,
      inverse: inverse.map {
        RelationshipLayout.Inverse(
          name: $0.name, position: index ?? 0, isToMany: !$0.isToOneRelationship, isOptional: $0.isOptional)
      }, inverseDeleteRule: inverse?.deleteRule)
  }
}

extension OutOfRowValue {
  /// Describes how an attribute of a decoded schema is stored in files or encrypted; nil if it is stored in its row as
  /// a plain value. For attributes of models, ``init(_:kind:type:of:)`` does the same.
  fileprivate init?(_ form: AttributeForm, of entity: Schema.Entity) {
    guard !form.options.contains(.ephemeral) else { return nil }
    let isExternal = Self.mayBeExternal(form) && !entity.isInRule(form.name)
    let isEncrypted = form.options.contains(.encrypt)
    guard isExternal || isEncrypted else { return nil }
    self.init(
      isExternal: isExternal, isEncrypted: isEncrypted, entity: entity.declaringEntity(of: form.name).name,
      property: form.name)
  }

  /// Whether the attribute has the option `.externalStorage` and a type whose values can be stored in files.
  private static func mayBeExternal(_ form: AttributeForm) -> Bool {
    form.options.contains(.externalStorage) && (form.isTransformable || form.type.name == "Data")
  }
}

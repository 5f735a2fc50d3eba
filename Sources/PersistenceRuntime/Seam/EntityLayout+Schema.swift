import PersistenceSupport

extension EntityLayout {
  /// Computes the layouts of a validated schema.
  ///
  /// - Throws: `SwiftDataError.invalidSchema` if an entity has no model type, or if an ephemeral, external or encrypted
  ///   property is not among the first 63 properties of its entity.
  package static func layouts(of schema: Schema) throws -> [EntityLayout] {
    var hierarchies = HierarchyLayouts(schema)
    return try schema.entities.map { try hierarchies.layout(of: $0) }
  }

  /// - Parameter subentities: The layouts of all subentities.
  static func layout(
    of entity: Schema.Entity, subentities: [EntityLayout], in schema: Schema
  ) throws -> EntityLayout {
    guard let type = entity.modelType else {
      throw SwiftDataError(
        .invalidSchema,
        "entity \(entity.name) was put together without a model; make the schema from model types to open a container"
      )
    }
    // Generated code identifies a property by its position in the metadata.
    let properties = entity.propertyMetadata.enumerated().map { position, metadata in
      PropertyLayout(
        metadata, position: position, of: entity,
        relationship: schema.relationshipLayout(entity, metadata.name, position)
      )
    }
    let late = properties.filter { $0.position >= PropertyMask.sharedPosition }
    if let late = late.first(where: { $0.columns.isEmpty && $0.kind == .attribute }) {
      throw SwiftDataError(
        .invalidSchema, "\(entity.name).\(late.name) is ephemeral and must be among the first 63 properties; move it up"
      )
    }
    if let late = late.first(where: { $0.outOfRowValue != nil }) {
      throw SwiftDataError(
        .invalidSchema,
        "\(entity.name).\(late.name) is external or encrypted and must be among the first 63 properties; move it up")
    }
    return layout(
      of: entity, modelType: type, properties: properties,
      inheritance: EntityInheritance(of: entity, properties: properties, subentities: subentities),
      refersToFamilies: schema.hasFamilies(among: properties), originalName: entity.originalName)
  }

  /// The layout of an entity with only the given properties. Omits indexes and uniqueness rules with other properties.
  package static func layout(
    of entity: Schema.Entity, modelType: any PersistentModel.Type, properties: [PropertyLayout],
    inheritance: EntityInheritance?, refersToFamilies: Bool = false, originalName: String? = nil
  ) -> EntityLayout {
    let positions = Dictionary(properties.map { ($0.name, $0.position) }) { first, _ in first }
    return EntityLayout(
      name: entity.name, modelType: modelType, properties: properties,
      uniquenessConstraints: entity.allUniquenessConstraints.compactMap { rule(of: $0, positions) },
      indices: entity.binaryIndices.compactMap { rule(of: $0, positions) },
      memberRules: MemberRule.all(of: entity, properties, positions),
      spatialIndices: MemberRule.spatialIndices(of: entity, properties, positions), inheritance: inheritance,
      aliases: entity.inheritedKeyPaths(positions), refersToFamilies: refersToFamilies, originalName: originalName)
  }

  /// The positions of the properties in a rule; nil if a name is not a property's, but a composite member's.
  private static func rule(of names: [String], _ positions: [String: Int]) -> [Int]? {
    let known = names.compactMap { positions[$0] }
    return known.count == names.count ? known : nil
  }
}

extension Schema {
  /// Whether a to-one relationship refers to an entity with subentities.
  fileprivate func hasFamilies(among properties: [PropertyLayout]) -> Bool {
    properties.contains { property in
      guard case .toOne(let destination) = property.kind else { return false }
      return entities.contains { $0.superentity?.name == destination }
    }
  }

  fileprivate func relationshipLayout(_ entity: Entity, _ name: String, _ position: Int) -> RelationshipLayout? {
    guard let relationship = entity.property(named: name) as? Relationship,
      let type = PropertyType(relationship.valueType).destination
    else { return nil }
    let inverse = relationship.inverseName.flatMap { inverseEnd($0, in: entitiesByName[relationship.destination]) }
    return RelationshipLayout(
      relationship, to: type, position: position, of: entity.declaringEntity(of: name).name, inverse: inverse?.end,
      inverseDeleteRule: inverse?.rule)
  }

  private func inverseEnd(
    _ name: String, in destination: Entity?
  ) -> (end: RelationshipLayout.Inverse, rule: Relationship.DeleteRule)? {
    guard let destination, let inverse = destination.property(named: name) as? Relationship,
      let position = destination.propertyMetadata.firstIndex(where: { $0.name == name })
    else { return nil }
    let end = RelationshipLayout.Inverse(
      name: name, position: position, isToMany: !inverse.isToOneRelationship, isOptional: inverse.isOptional)
    return (end, inverse.deleteRule)
  }
}

extension PropertyLayout {
  fileprivate init(
    _ metadata: Schema.PropertyMetadata, position: Int, of entity: Schema.Entity, relationship: RelationshipLayout?
  ) {
    let declared = type(of: metadata.keypath).valueType
    let propertyType = PropertyType(declared)
    let attribute = metadata.metadata as? Schema.Attribute
    let kind = PropertyKind(propertyType, attribute: attribute)
    let outOfRow = OutOfRowValue(metadata, kind: kind, type: propertyType.wrapped, of: entity)
    let composite =
      kind == .attribute ? CompositeLayout(name: metadata.name, type: declared, attribute: attribute) : nil
    self.init(
      name: metadata.name, position: position, keyPath: metadata.keypath, valueType: propertyType.wrapped,
      isOptional: propertyType.isOptional, isUnique: entity.allUniquenessConstraints.contains([metadata.name]),
      defaultValue: metadata.defaultValue, kind: kind,
      columns: composite?.columns ?? Self.columns(metadata.name, propertyType, kind, attribute, relationship, outOfRow),
      attribute: attribute, relationship: relationship, outOfRowValue: outOfRow, composite: composite)
  }

  private static func columns(
    _ name: String, _ type: PropertyType, _ kind: PropertyKind, _ attribute: Schema.Attribute?,
    _ relationship: RelationshipLayout?, _ outOfRow: OutOfRowValue?
  ) -> [ColumnLayout] {
    if outOfRow?.isEncrypted == true {
      return [ColumnLayout(name: name, format: .blob, isOptional: type.isOptional || kind == .transformable)]
    }
    return switch kind {
    case .toMany: []
    case .toOne:
      relationship?.storage == .inverseColumn
        ? [] : [ColumnLayout(name: name, format: .reference, isOptional: type.isOptional)]
    case .transformable: [ColumnLayout(name: name, format: .blob, isOptional: true)]
    case .attribute:
      attribute?.options.contains(.ephemeral) == true
        ? []
        : [
          ColumnLayout(
            name: name, format: .format(of: type.wrapped), isOptional: type.isOptional,
            isUnsigned: ColumnFormat.isUnsigned(type.wrapped))
        ]
    }
  }
}

extension PropertyKind {
  fileprivate init(_ type: PropertyType, attribute: Schema.Attribute?) {
    if attribute?.isTransformable == true {
      self = .transformable
      return
    }
    switch type.kind {
    case .toOne(let model): self = .toOne(destination: Schema.entityName(ofModel: model))
    case .toMany(let model): self = .toMany(destination: Schema.entityName(ofModel: model))
    case .value, .otherCollection: self = .attribute
    }
  }
}

extension ColumnFormat {
  /// The column format of a type. Must agree with the overloads of ``RowReader`` and ``RowWriter`` for the type.
  package static func format(of type: any Any.Type) -> ColumnFormat {
    if let storable = type as? any StorableValue.Type { return storable._$format }
    if let raw = RawStorage.type(of: type), let format = rawFormat(of: raw) { return format }
    return .json
  }

  /// Whether values of a type may exceed `Int64.max`.
  package static func isUnsigned(_ type: any Any.Type) -> Bool {
    func isRawUnsigned<R: RawRepresentable>(_: R.Type) -> Bool { isUnsigned(R.RawValue.self) }
    if type is any StorableValue.Type { return type == UInt64.self || type == UInt.self }
    return RawStorage.type(of: type).map { isRawUnsigned($0) } ?? false
  }

  private static func rawFormat<R: RawRepresentable>(of type: R.Type) -> ColumnFormat? {
    (R.RawValue.self as? any StorableValue.Type)?._$format
  }
}

/// Computes the layouts of a schema's entities, subentities first.
struct HierarchyLayouts {
  private let schema: Schema
  private var made: [ObjectIdentifier: EntityLayout] = [:]

  init(_ schema: Schema) {
    self.schema = schema
  }

  mutating func layout(of entity: Schema.Entity) throws -> EntityLayout {
    if let known = made[ObjectIdentifier(entity)] { return known }
    var subentities: [EntityLayout] = []
    // The order of subentities determines the table's columns, so it must not depend on the program's order of models.
    for subentity in schema.subentitiesInOrder(of: entity) {
      let layout = try layout(of: subentity)
      subentities += layout.family
    }
    let layout = try EntityLayout.layout(of: entity, subentities: subentities, in: schema)
    made[ObjectIdentifier(entity)] = layout
    return layout
  }
}

extension EntityInheritance {
  /// Returns nil for an entity that has neither superentities nor subentities.
  init?(of entity: Schema.Entity, properties: [PropertyLayout], subentities: [EntityLayout]) {
    let superentities = entity.superentities
    guard !superentities.isEmpty || !subentities.isEmpty else { return nil }
    let root = superentities.last ?? entity
    guard let rootType = root.modelType else { return nil }
    self.init(
      rootName: root.name, rootType: rootType, superentityNames: superentities.map(\.name),
      firstPositions: [0] + superentities.reversed().map { $0.propertyMetadata.count },
      subentities: subentities, properties: properties)
  }
}

extension Schema.Entity {
  /// The metadata of all properties. Begins with the properties of the root entity.
  package var propertyMetadata: [Schema.PropertyMetadata] {
    // Not recursive, because schema checks also call it for entities that inherit from each other in a cycle.
    var all: [Schema.PropertyMetadata] = []
    for entity in superentities.reversed() + [self] {
      let own = entity.metadata.filter { !$0.name.hasPrefix(Schema.ruleMetadataPrefix) }
      // `@Model` repeats inherited properties with the subclass's key paths. Hand-written metadata may omit them.
      let names = Set(own.map(\.name))
      all.removeAll { names.contains($0.name) }
      all += own
    }
    return all
  }

  /// The entity that declares a property: this entity, or the superentity from which it inherits the property.
  package func declaringEntity(of name: String) -> Schema.Entity {
    ([self] + superentities).first { $0.storedProperties.contains { $0.name == name } } ?? self
  }

  /// The uniqueness rules of the superentities, which also apply to this entity, followed by its own rules.
  package var allUniquenessConstraints: [[String]] {
    superentities.reversed().flatMap(\.uniquenessConstraints) + uniquenessConstraints
  }

  /// Maps the superclasses' key paths of inherited properties to the positions of these properties in this entity.
  func inheritedKeyPaths(_ positions: [String: Int]) -> [AnyKeyPath: Int] {
    var aliases: [AnyKeyPath: Int] = [:]
    for property in superentities.flatMap(\.propertyMetadata) { aliases[property.keypath] = positions[property.name] }
    return aliases
  }
}

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
    // Independent of the order in the schema, so that tables do not depend on the order of models.
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
  /// Nil for an entity without superentity and subentities.
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
  /// The property metadata of the model and its superclasses, the root's first.
  package var propertyMetadata: [Schema.PropertyMetadata] {
    let own = metadata.filter { !$0.name.hasPrefix(Schema.ruleMetadataPrefix) }
    guard let inherited = superentity?.propertyMetadata else { return own }
    // Generated metadata repeats inherited properties with its own key paths; hand-written metadata may omit them.
    let names = Set(own.map(\.name))
    return inherited.filter { !names.contains($0.name) } + own
  }

  /// The entity that declares a stored or inherited property.
  package func declaringEntity(of name: String) -> Schema.Entity {
    ([self] + superentities).first { $0.storedProperties.contains { $0.name == name } } ?? self
  }

  /// The uniqueness constraints of the superentities and the entity.
  package var allUniquenessConstraints: [[String]] {
    superentities.reversed().flatMap(\.uniquenessConstraints) + uniquenessConstraints
  }

  /// The positions of inherited properties by the superclasses' key paths.
  func inheritedKeyPaths(_ positions: [String: Int]) -> [AnyKeyPath: Int] {
    var aliases: [AnyKeyPath: Int] = [:]
    for property in superentities.flatMap(\.propertyMetadata) { aliases[property.keypath] = positions[property.name] }
    return aliases
  }
}

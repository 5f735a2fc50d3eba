/// Makes the layouts of a schema's entities, each after those that inherit from it.
struct HierarchyLayouts {
  private let schema: Schema
  private var made: [ObjectIdentifier: EntityLayout] = [:]

  init(_ schema: Schema) {
    self.schema = schema
  }

  mutating func layout(of entity: Schema.Entity) throws -> EntityLayout {
    if let known = made[ObjectIdentifier(entity)] { return known }
    var subentities: [EntityLayout] = []
    // Not in the order of the schema: tables have to come out the same however models are listed.
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
  /// The place of an entity of a schema; nil for one that neither inherits nor is inherited from.
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
  /// What the model and its superclasses say about properties, those of the root first.
  package var propertyMetadata: [Schema.PropertyMetadata] {
    let own = metadata.filter { !$0.name.hasPrefix(Schema.ruleMetadataPrefix) }
    guard let inherited = superentity?.propertyMetadata else { return own }
    // Generated metadata repeats what is inherited, with key paths of its own; metadata written by hand need not.
    let names = Set(own.map(\.name))
    return inherited.filter { !names.contains($0.name) } + own
  }

  /// The entity that declares a property: this one, or the one that it inherits the property from.
  package func declaringEntity(of name: String) -> Schema.Entity {
    ([self] + superentities).first { $0.storedProperties.contains { $0.name == name } } ?? self
  }

  /// The uniqueness rules of the entity, after those of its superentities, which hold for it too.
  package var allUniquenessConstraints: [[String]] {
    superentities.reversed().flatMap(\.uniquenessConstraints) + uniquenessConstraints
  }

  /// The positions of inherited properties by the key paths that the superclasses have for them.
  func inheritedKeyPaths(_ positions: [String: Int]) -> [AnyKeyPath: Int] {
    var aliases: [AnyKeyPath: Int] = [:]
    for property in superentities.flatMap(\.propertyMetadata) { aliases[property.keypath] = positions[property.name] }
    return aliases
  }
}

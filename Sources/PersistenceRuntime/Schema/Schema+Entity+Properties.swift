extension Schema.Entity {
  /// All properties, inherited ones first.
  public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

  /// The attributes among all properties. Setting them replaces the stored ones and leaves the inherited ones alone.
  public var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replaceStored(by: Array(newValue)) { $0 is Schema.Attribute } }
  }

  /// The relationships among all properties. Setting them replaces the stored ones and leaves the inherited ones
  /// alone.
  public var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replaceStored(by: Array(newValue)) { $0 is Schema.Relationship } }
  }

  /// The attributes among all properties, by name.
  public var attributesByName: [String: Schema.Attribute] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Attribute }) }
    set { attributes = Set(newValue.values) }
  }

  /// The relationships among all properties, by name.
  public var relationshipsByName: [String: Schema.Relationship] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Relationship }) }
    set { relationships = Set(newValue.values) }
  }

  /// The stored properties by name. Setting them keeps the order of those that remain.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first } }
    set { replaceStored(by: Array(newValue.values)) { _ in true } }
  }

  /// The inherited properties by name.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(inheritedProperties.map { ($0.name, $0) }) { first, _ in first } }
    set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// The stored attributes, in the order of their declaration.
  package var storedAttributes: [Schema.Attribute] { storedProperties.compactMap { $0 as? Schema.Attribute } }

  /// The stored relationships, in the order of their declaration.
  package var storedRelationships: [Schema.Relationship] { storedProperties.compactMap { $0 as? Schema.Relationship } }

  /// Returns the property of a name, own or inherited.
  package func property(named name: String) -> (any SchemaProperty)? {
    storedProperties.first { $0.name == name } ?? inheritedProperties.first { $0.name == name }
  }

  /// Returns the name of the property that a key path leads to, if it leads to a property itself and not to a part
  /// of its value.
  package func propertyName(for keypath: AnyKeyPath) -> String? {
    namesByKeyPath[keypath]
  }

  /// The entity that this one inherits from, the one that that one inherits from, and so on.
  ///
  /// Ends where it would begin again, so that entities that inherit from each other by mistake do no harm.
  package var superentities: [Schema.Entity] {
    var found: [Schema.Entity] = []
    var next = superentity
    while let entity = next, entity !== self, !found.contains(where: { $0 === entity }) {
      found.append(entity)
      next = entity.superentity
    }
    return found
  }

  private static func byName<Property: SchemaProperty>(_ properties: [Property]) -> [String: Property] {
    Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
  }

  private func replaceStored(
    by replacements: [any SchemaProperty],
    where isReplaced: (any SchemaProperty) -> Bool
  ) {
    let inherited = Set(inheritedProperties.map(\.name))
    var remaining = Dictionary(replacements.map { ($0.name, $0) }) { first, _ in first }
    for name in inherited { remaining[name] = nil }
    let kept = storedProperties.compactMap { property in
      isReplaced(property) ? remaining.removeValue(forKey: property.name) : property
    }
    storedProperties = kept + remaining.values.sorted { $0.name < $1.name }
  }
}

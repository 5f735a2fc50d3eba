extension Schema.Entity {
  /// All properties, inherited ones first.
  public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

  /// All attributes. Setting them replaces the stored attributes and keeps the inherited ones.
  public var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replaceStored(by: Array(newValue)) { $0 is Schema.Attribute } }
  }

  /// All relationships. Setting them replaces the stored relationships and keeps the inherited ones.
  public var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replaceStored(by: Array(newValue)) { $0 is Schema.Relationship } }
  }

  /// All attributes by name.
  public var attributesByName: [String: Schema.Attribute] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Attribute }) }
    set { attributes = Set(newValue.values) }
  }

  /// All relationships by name.
  public var relationshipsByName: [String: Schema.Relationship] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Relationship }) }
    set { relationships = Set(newValue.values) }
  }

  /// The stored properties by name. Setting them keeps the order of known properties; new ones follow, sorted by name.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first } }
    set { replaceStored(by: Array(newValue.values)) { _ in true } }
  }

  /// The inherited properties by name.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(inheritedProperties.map { ($0.name, $0) }) { first, _ in first } }
    set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// The stored attributes in declaration order.
  package var storedAttributes: [Schema.Attribute] { storedProperties.compactMap { $0 as? Schema.Attribute } }

  /// The stored relationships in declaration order.
  package var storedRelationships: [Schema.Relationship] { storedProperties.compactMap { $0 as? Schema.Relationship } }

  /// The stored or inherited property with a name.
  package func property(named name: String) -> (any SchemaProperty)? {
    storedProperties.first { $0.name == name } ?? inheritedProperties.first { $0.name == name }
  }

  /// The name of the property at a key path; nil if the key path leads to a part of a property's value.
  package func propertyName(for keypath: AnyKeyPath) -> String? {
    namesByKeyPath[keypath]
  }

  /// The superentities, nearest first. Stops at a repetition, because entities of an invalid schema may form a cycle.
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

/// A property of an entity, or a rule for properties, such as an index. Apple's protocol.
///
/// ``Schema/Attribute`` and ``Schema/Relationship`` describe stored properties. ``Schema/Index`` and ``Schema/Unique``
/// are only in the metadata of a model. The model's entity contains the property names of these rules.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
  /// The name of the property.
  var name: String { get set }
  /// The former name of the property; equal to the name unless the property was renamed.
  var originalName: String { get set }
  /// The declared type of the property.
  var valueType: any Any.Type { get set }
  /// Whether the property contains a value and does not refer to models.
  var isAttribute: Bool { get }
  /// Whether the property refers to models.
  var isRelationship: Bool { get }
  /// Whether changes of the property are tracked, but its value is never stored.
  var isTransient: Bool { get }
  /// Whether the property is optional.
  var isOptional: Bool { get }
  /// Whether no two models may have the same value.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// The default is false.
  public var isAttribute: Bool { false }
  /// The default is false.
  public var isRelationship: Bool { false }
  /// The default is false.
  public var isTransient: Bool { false }
  /// The default is false.
  public var isOptional: Bool { false }
}

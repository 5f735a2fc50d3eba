/// A property of an entity, or a rule. Apple's protocol.
///
/// ``Schema/Attribute`` and ``Schema/Relationship`` describe stored properties. ``Schema/Index`` and ``Schema/Unique``
/// exist in the metadata of a model only, and become lists of names in the entity.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
  /// The name of the property.
  var name: String { get set }
  /// The former name of the property; by default its name.
  var originalName: String { get set }
  /// The declared type of the property.
  var valueType: any Any.Type { get set }
  /// Whether the property holds a value.
  var isAttribute: Bool { get }
  /// Whether the property refers to models.
  var isRelationship: Bool { get }
  /// Whether the property is tracked but never stored.
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

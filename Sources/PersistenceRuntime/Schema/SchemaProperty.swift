/// A part of an entity: an attribute, a relationship, or a rule over several of them.
///
/// ``Schema/Attribute`` and ``Schema/Relationship`` describe what is stored; ``Schema/Index`` and ``Schema/Unique``
/// only travel in the metadata of a model, and end as lists of property names on the entity.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
  /// The name of the property in the model.
  var name: String { get set }
  /// The name that the property had in the previous version of the schema, by default its name.
  var originalName: String { get set }
  /// The declared type of the property.
  var valueType: any Any.Type { get set }
  /// Whether the property holds a value.
  var isAttribute: Bool { get }
  /// Whether the property refers to models.
  var isRelationship: Bool { get }
  /// Whether the property is tracked but never written to the store.
  var isTransient: Bool { get }
  /// Whether the property may be nil.
  var isOptional: Bool { get }
  /// Whether no two models may share a value of the property.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// False unless a conforming type says otherwise.
  public var isAttribute: Bool { false }
  /// False unless a conforming type says otherwise.
  public var isRelationship: Bool { false }
  /// False unless a conforming type says otherwise.
  public var isTransient: Bool { false }
  /// False unless a conforming type says otherwise.
  public var isOptional: Bool { false }
}

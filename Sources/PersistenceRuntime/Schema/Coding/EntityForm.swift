/// The encoded and compared content of an entity.
///
/// Sorted by name, so that the order of declarations is irrelevant.
package struct EntityForm: Codable, Hashable {
  package private(set) var name: String
  /// The former name; nil if it is the same.
  package let originalName: String?
  package private(set) var superentity: String?
  package let attributes: [AttributeForm]
  package private(set) var relationships: [RelationshipForm]
  package let uniquenessConstraints: [[String]]
  package let indices: [IndexForm]

  init(_ entity: Schema.Entity) {
    self.name = entity.name
    self.originalName = entity.originalName == entity.name ? nil : entity.originalName
    self.superentity = entity.superentityName
    self.attributes = entity.storedAttributes.map { AttributeForm($0) }.sorted { $0.name < $1.name }
    self.relationships = entity.storedRelationships.map { RelationshipForm($0) }.sorted { $0.name < $1.name }
    self.uniquenessConstraints = Set(entity.uniquenessConstraints).sorted { $0.lexicographicallyPrecedes($1) }
    self.indices = IndexForm.all(of: entity)
  }
}

extension EntityForm {
  /// The same content with entities renamed.
  package func renamed(by name: (String) -> String) -> EntityForm {
    var result = self
    result.name = name(self.name)
    result.superentity = superentity.map(name)
    for index in relationships.indices {
      result.relationships[index].destination = name(relationships[index].destination)
    }
    return result
  }
}

/// An index of an entity.
package struct IndexForm: Codable, Hashable {
  package let kind: KeyPathList.Kind
  package let properties: [String]

  static func all(of entity: Schema.Entity) -> [IndexForm] {
    let binary = Set(entity.binaryIndices).map { IndexForm(kind: .binary, properties: $0) }
    let spatial = Set(entity.rtreeIndices).map { IndexForm(kind: .rtree, properties: $0) }
    return (binary + spatial).sorted { first, second in
      first.properties == second.properties
        ? first.kind == .binary && second.kind == .rtree
        : first.properties.lexicographicallyPrecedes(second.properties)
    }
  }
}

extension Schema.Entity {
  /// Decodes an entity, which has no model type.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder; `DecodingError` for a default of an unknown kind.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: EntityCodingKeys.self)
    self.init(try container.decode(String.self, forKey: .name))
    originalName = try container.decodeIfPresent(String.self, forKey: .originalName) ?? name
    superentityName = try container.decodeIfPresent(String.self, forKey: .superentity)
    let relationships = try container.decode([Schema.Relationship].self, forKey: .relationships)
    storedProperties = try Self.attributes(in: container) + relationships
    uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
    let forms = try container.decode([IndexForm].self, forKey: .indices)
    indices = forms.map(\.properties)
    rtreeIndices = forms.filter { $0.kind == .rtree }.map(\.properties)
  }

  private static func attributes(
    in container: KeyedDecodingContainer<EntityCodingKeys>
  ) throws -> [any SchemaProperty] {
    try container.decode([AttributeForm].self, forKey: .attributes).map { $0.attribute() }
  }

  private enum EntityCodingKeys: CodingKey {
    case name, originalName, superentity, attributes, relationships, uniquenessConstraints, indices
  }

  /// Encodes the entity, with the name of its superentity. Equal entities have equal encodings.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    try EntityForm(self).encode(to: encoder)
  }

  public static func == (lhs: Schema.Entity, rhs: Schema.Entity) -> Bool {
    lhs === rhs || EntityForm(lhs) == EntityForm(rhs)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }

  public var debugDescription: String {
    let parent = superentityName.map { ", superentity: \($0)" } ?? ""
    return "Schema.Entity - name: \(name)\(parent), properties: \(storedProperties.map(\.name))"
  }
}

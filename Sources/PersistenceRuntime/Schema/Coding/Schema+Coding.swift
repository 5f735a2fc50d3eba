import Foundation
import PersistenceSupport

/// The part of a schema that is encoded, and that `==` compares.
package struct SchemaForm: Codable, Hashable {
  let encodingVersion: Schema.Version
  let version: Schema.Version
  let entities: [EntityForm]

  init(_ schema: Schema) {
    self.encodingVersion = schema.encodingVersion
    self.version = schema.version
    self.entities = Self.entities(of: schema)
  }

  // Two entities of the same name are invalid, but they must have a defined order too.
  package static func entities(of schema: Schema) -> [EntityForm] {
    schema.entities.map { EntityForm($0) }.sorted { first, second in
      first.name == second.name
        ? first.attributes.map(\.name).lexicographicallyPrecedes(second.attributes.map(\.name))
        : first.name < second.name
    }
  }
}

extension Schema {
  private enum CodingKeys: CodingKey {
    case encodingVersion, version, entities
  }

  /// Decodes a schema. Its entities have no model types; types unknown to this program become ``UnknownValue``.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder; `DecodingError` for a default value in an unknown encoding.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let entities = try container.decode([Entity].self, forKey: .entities)
    EntityLinker(entities: entities).linkByName()
    self.init(
      entities: entities,
      version: try container.decode(Version.self, forKey: .version),
      encodingVersion: try container.decode(Version.self, forKey: .encodingVersion)
    )
  }

  /// Encodes the schema. Equal schemas have equal encodings.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    try SchemaForm(self).encode(to: encoder)
  }

  public static func == (lhs: Schema, rhs: Schema) -> Bool {
    lhs === rhs || SchemaForm(lhs) == SchemaForm(rhs)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(Set(entities.map(\.name)))
  }

  public var debugDescription: String {
    "Schema - version: \(version), entities: \(entities.map(\.debugDescription))"
  }

  /// Whether two schemas have equal entities, regardless of their versions.
  package func hasSameContent(as other: Schema) -> Bool {
    self === other || SchemaForm.entities(of: self) == SchemaForm.entities(of: other)
  }
}

extension Schema {
  /// Writes the schema to a file as JSON. Equal schemas have equal JSON.
  ///
  /// - Parameter toURL: The file, which is replaced atomically.
  /// - Throws: `SwiftDataError.storeUnreachable` if the file cannot be written, `.valueNotStorable` if the schema
  ///   cannot be encoded.
  public func save(to toURL: URL) throws {
    let data = try json()
    do {
      try data.write(to: toURL, options: .atomic)
    } catch {
      throw SwiftDataError(
        .storeUnreachable, "The schema cannot be written to \(toURL.path).", underlying: error
      )
    }
  }

  /// Reads a schema from a file that ``save(to:)`` has written.
  ///
  /// - Parameter fromURL: The file.
  /// - Returns: The schema, whose entities have no model types.
  /// - Throws: `SwiftDataError.storeUnreachable` if the file cannot be read, `.corruptValue` if it contains no schema.
  public static func load(from fromURL: URL) throws -> Schema {
    let data: Data
    do {
      data = try Data(contentsOf: fromURL)
    } catch {
      throw SwiftDataError(
        .storeUnreachable, "The schema cannot be read from \(fromURL.path).", underlying: error
      )
    }
    return try Schema.decoded(fromJSON: data, source: fromURL.path)
  }

  /// The schema as JSON. Equal schemas have equal JSON.
  package func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self)
    } catch {
      throw SwiftDataError(.valueNotStorable, "The schema cannot be written as JSON.", underlying: error)
    }
  }

  private static let written = Lock<[SchemaForm: String]>([:])

  /// The JSON as text. Cached, since creating it takes longer than the rest of opening a store.
  ///
  /// Equal schemas share the text: many programs, tests and previews create a new schema for each container.
  package func storedJSON() throws -> String {
    let form = SchemaForm(self)
    if let known = Self.written.withLock({ $0[form] }) { return known }
    let text = String(decoding: try json(), as: UTF8.self)
    Self.written.withLock { written in
      // Limits the memory of a program that creates many different schemas.
      if written.count >= 64 { written.removeAll() }
      written[form] = text
    }
    return text
  }

  /// Decodes a schema from JSON. Errors name `source` as the origin of the JSON.
  package static func decoded(fromJSON data: Data, source: String) throws -> Schema {
    do {
      return try JSONDecoder().decode(Schema.self, from: data)
    } catch {
      throw SwiftDataError(.corruptValue, "What \(source) holds is not a schema.", underlying: error)
    }
  }
}

/// The part of an entity that is encoded, and that `==` compares.
///
/// The properties are sorted by name, so that the order of their declarations does not affect equality.
package struct EntityForm: Codable, Hashable {
  package private(set) var name: String
  /// The former name; nil if the entity was not renamed.
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
  /// Returns a copy in which `name` has replaced all entity names, including superentity and destinations.
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
  /// - Throws: The error of the decoder; `DecodingError` for a default value in an unknown encoding.
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

/// The part of an attribute that is encoded, and that `==` compares.
package struct AttributeForm: Codable, Hashable {
  package let name: String
  package let originalName: String
  package let options: [Schema.Attribute.Option]
  package let type: StoredTypeName
  package let isOptional: Bool
  package let defaultValue: CodedValue?
  package let hashModifier: String?
  /// The members of a composite attribute; nil for other attributes.
  package let members: [AttributeForm]?

  package init(_ attribute: Schema.Attribute) {
    self.name = attribute.name
    self.originalName = attribute.originalName
    self.options = Set(attribute.options).sorted { $0.text < $1.text }
    self.type = attribute.decodedTypeName ?? StoredTypeName(attribute.wrappedType)
    self.isOptional = attribute.isOptional
    self.defaultValue = attribute.isDefaultVolatile ? nil : attribute.defaultValue.flatMap { CodedValue($0) }
    self.hashModifier = attribute.hashModifier
    self.members = (attribute as? Schema.CompositeAttribute).map { composite in
      composite.properties.map { AttributeForm($0) }.sorted { $0.name < $1.name }
    }
  }

  var valueType: any Any.Type {
    let known = type.knownType
    return isOptional ? KnownTypes.optional(known) : known
  }

  var liveDefaultValue: Any? {
    defaultValue?.live(as: type.knownType)
  }

  func attribute() -> Schema.Attribute {
    let attribute = members.map { compositeAttribute(of: $0) } ?? plainAttribute()
    attribute.decodedTypeName = type
    return attribute
  }

  private func plainAttribute() -> Schema.Attribute {
    Schema.Attribute(
      name: name,
      originalName: originalName,
      options: options,
      valueType: valueType,
      defaultValue: liveDefaultValue,
      hashModifier: hashModifier
    )
  }

  private func compositeAttribute(of members: [AttributeForm]) -> Schema.Attribute {
    let composite = Schema.CompositeAttribute(
      name: name,
      originalName: originalName,
      options: options,
      valueType: valueType,
      defaultValue: liveDefaultValue,
      hashModifier: hashModifier
    )
    composite.properties = members.map { $0.attribute() }
    return composite
  }

  var summary: String {
    let marks = options.map(\.debugDescription).joined(separator: ", ")
    let standard = defaultValue.map { "\($0)" } ?? "none"
    return "name: \(name), type: \(type.summary)\(isOptional ? "?" : ""), options: [\(marks)], default: \(standard)"
  }
}

/// The part of a relationship that is encoded, and that `==` compares.
package struct RelationshipForm: Codable, Hashable {
  package let name: String
  package let originalName: String
  package let options: [Schema.Relationship.Option]
  package var destination: String
  package let isToMany: Bool
  package let isOptional: Bool
  package let deleteRule: Schema.Relationship.DeleteRule
  package let inverseName: String?
  // 0 if the relationship has nil: both mean that there is no limit.
  package let minimumModelCount: Int
  package let maximumModelCount: Int
  package let hashModifier: String?

  init(_ relationship: Schema.Relationship) {
    self.name = relationship.name
    self.originalName = relationship.originalName
    self.options = Set(relationship.options).sorted { $0.name < $1.name }
    self.destination = relationship.destination
    self.isToMany = !relationship.isToOneRelationship
    self.isOptional = relationship.isOptional
    self.deleteRule = relationship.deleteRule
    self.inverseName = relationship.inverseName
    self.minimumModelCount = relationship.minimumModelCount ?? 0
    self.maximumModelCount = relationship.maximumModelCount ?? 0
    self.hashModifier = relationship.hashModifier
  }

  /// The declared type with ``Schema/UnknownValue`` instead of the model, such as `[UnknownValue]?`. The model type
  /// cannot be found by its name.
  var valueType: any Any.Type {
    switch (isToMany, isOptional) {
    case (false, false): Schema.UnknownValue.self
    case (false, true): Schema.UnknownValue?.self
    case (true, false): [Schema.UnknownValue].self
    case (true, true): [Schema.UnknownValue]?.self
    }
  }

  var summary: String {
    let kind = isToMany ? "to-many" : "to-one"
    let inverse = inverseName ?? "none"
    return "name: \(name), \(kind)\(isOptional ? "?" : "") to \(destination), "
      + "deleteRule: \(deleteRule.rawValue), inverse: \(inverse)"
  }
}

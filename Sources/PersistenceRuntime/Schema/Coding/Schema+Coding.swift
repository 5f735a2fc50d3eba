import Foundation
import PersistenceSupport

/// The encoded and compared content of a schema.
package struct SchemaForm: Codable, Hashable {
  let encodingVersion: Schema.Version
  let version: Schema.Version
  let entities: [EntityForm]

  init(_ schema: Schema) {
    self.encodingVersion = schema.encodingVersion
    self.version = schema.version
    self.entities = Self.entities(of: schema)
  }

  // Deterministic even for a contradictory schema with two entities of one name.
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
  /// - Throws: The error of the decoder; `DecodingError` for a default of an unknown kind.
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

  /// Reads a schema from a file of ``save(to:)``.
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

  /// Decodes a schema from JSON; `source` names the origin in errors.
  package static func decoded(fromJSON data: Data, source: String) throws -> Schema {
    do {
      return try JSONDecoder().decode(Schema.self, from: data)
    } catch {
      throw SwiftDataError(.corruptValue, "What \(source) holds is not a schema.", underlying: error)
    }
  }
}

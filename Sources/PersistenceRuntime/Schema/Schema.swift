/// The entities of a store, built from models or by hand. Apple's type.
///
/// Creating a schema never fails. Opening a container with a contradictory one throws one error that lists all
/// contradictions. Two schemas are equal if their versions and entities are, in any order.
///
/// ```swift
/// let schema = Schema([Trip.self, Stop.self], version: Schema.Version(1, 0, 0))
/// try schema.save(to: file)
/// ```
final public class Schema: Codable, Hashable, CustomDebugStringConvertible, Sendable {
  /// The version of the library's schema encoding.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of this schema's encoding.
  public let encodingVersion: Version
  /// The version of the schema.
  public let version: Version
  /// The entities: listed ones in that order, then those found through relationships.
  public let entities: [Entity]
  /// The entities by name. Of two with the same name it has the first.
  public let entitiesByName: [String: Entity]

  package let entitiesByType: [ObjectIdentifier: Entity]
  package let buildingProblems: [SchemaProblem]

  package init(
    entities: [Entity],
    version: Version,
    encodingVersion: Version = Schema.schemaEncodingVersion,
    problems: [SchemaProblem] = []
  ) {
    self.entities = entities
    self.version = version
    self.encodingVersion = encodingVersion
    self.buildingProblems = problems
    self.entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    let typed = entities.compactMap { entity in entity.modelType.map { (ObjectIdentifier($0), entity) } }
    self.entitiesByType = Dictionary(typed) { first, _ in first }
  }

  /// Creates a schema without entities.
  public convenience init() {
    self.init(entities: [], version: Version(1, 0, 0))
  }
}

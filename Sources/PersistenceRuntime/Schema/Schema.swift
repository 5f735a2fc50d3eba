/// The entities that a store holds, read from the models or put together by hand.
///
/// Making a schema never fails. What is contradictory in it is collected, and opening a container with it throws one
/// error that lists every contradiction.
///
/// Two schemas are equal when their versions and their entities say the same, in whatever order they were listed.
final public class Schema: Codable, Hashable, CustomDebugStringConvertible, Sendable {
  /// The version of the form in which schemas are written by this library.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the form in which this schema was written.
  public let encodingVersion: Version
  /// The version of the schema.
  public let version: Version
  /// The entities: those that were listed, in that order, then those that were found through relationships.
  public let entities: [Entity]
  /// The entities by name; of two with one name the first.
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

  /// Makes a schema without entities.
  public convenience init() {
    self.init(entities: [], version: Version(1, 0, 0))
  }
}

/// Describes the entities of a store. Created from model types, or from entities that the program builds. Apple's type.
///
/// Creating a schema never fails. Opening a container with an invalid schema throws one error that lists all
/// contradictions. Two schemas are equal if their versions and their entities are equal, in any order.
///
/// ```swift
/// let schema = Schema([Trip.self, Stop.self], version: Schema.Version(1, 0, 0))
/// try schema.save(to: file)
/// ```
final public class Schema: Codable, Hashable, CustomDebugStringConvertible, Sendable {
  /// The version of the encoding that this library writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the encoding from which the schema was decoded; otherwise ``schemaEncodingVersion``.
  public let encodingVersion: Version
  /// The version of the schema.
  public let version: Version
  /// The entities: first the listed ones in their order, then those that were found through relationships.
  public let entities: [Entity]
  /// The entities by name. If several have the same name, the first one is used.
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

extension Schema {
  /// Returns the entity of a model type.
  ///
  /// - Parameter type: The model type. A type of the same name in another schema version is another model type.
  /// - Returns: The entity; nil if the schema does not contain the model type.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    entity(ofModel: type)
  }

  /// Returns the name of a model type's entity: the name of the type without module and enclosing types.
  ///
  /// - Parameter type: The model type.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String {
    entityName(ofModel: type)
  }

  /// The entity of a model type known at run time.
  package func entity(ofModel type: any PersistentModel.Type) -> Entity? {
    if let entity = entitiesByType[ObjectIdentifier(type)] { return entity }
    guard let entity = entitiesByName[Self.entityName(ofModel: type)], entity.modelType == nil else { return nil }
    return entity
  }

  /// The entity name of a model type known at run time.
  package static func entityName(ofModel type: any PersistentModel.Type) -> String {
    // `String(describing:)` returns the same, but first searches the conformances of all types.
    _typeName(type, qualified: false)
  }

  /// The direct subentities, sorted by name. This order determines the order of columns in the hierarchy's table.
  package func subentitiesInOrder(of entity: Entity) -> [Entity] {
    entities.filter { $0.superentity === entity }.sorted { $0.name < $1.name }
  }
}

extension Schema {
  /// The version number of a schema. Apple's type.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    /// The most significant part.
    public let major: Int
    /// The middle part.
    public let minor: Int
    /// The least significant part.
    public let patch: Int

    /// Creates a version number.
    ///
    /// - Parameters:
    ///   - major: The most significant part.
    ///   - minor: The middle part.
    ///   - patch: The least significant part.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    @inlinable
    public static func == (lhs: Version, rhs: Version) -> Bool {
      !(lhs < rhs) && !(lhs > rhs)
    }

    public static func < (lhs: Version, rhs: Version) -> Bool {
      (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
    }

    /// The parts separated by dots.
    public var description: String { "\(major).\(minor).\(patch)" }
  }
}

/// One version of an application's models. The version numbers determine the order of the versions.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version. The library finds further models through relationships.
  static var models: [any PersistentModel.Type] { get }
  /// The number of this version.
  static var versionIdentifier: Schema.Version { get }
}

/// A contradiction in a schema. Its description names the entity, the property and the remedy.
package struct SchemaProblem: Hashable, Sendable, CustomStringConvertible {
  /// The kind of contradiction.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case duplicateEntity, duplicateProperty
    case entityNameNotStorable, propertyNameNotStorable
    case typeNotStorable, unknownTransformer, encryptionOutOfSight, defaultOfAnotherType, unknownMetadata
    case noPlaceholder, modelOutOfRow
    case destinationIsNoModel, destinationIsMissing, modelsInOtherCollection, modelTakenForValue
    case ambiguousInverse, inverseIsNoRelationship, inverseDoesNotLeadBack, inversesDisagree
    case uniqueToMany, impossibleModelCount
    case unresolvedKeyPath, unknownPropertyInRule, unsuitablePropertyInRule, emptyRule
    case propertyIsNoCoordinate, impossibleSpace
    case superclassIsMissing, subclassIsNoModel, inheritsFromItself
    case originalNameIsTaken, originalNameIsShared
    case originalEntityNameIsTaken, originalEntityNameIsShared
  }

  package let kind: Kind
  /// The name of the entity.
  package let entity: String
  /// The name of the property; nil if the contradiction concerns the whole entity.
  package let property: String?
  /// The error message: the contradiction, and how to resolve it.
  package let description: String

  package init(_ kind: Kind, entity: String, property: String? = nil, _ description: String) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.description = description
  }
}

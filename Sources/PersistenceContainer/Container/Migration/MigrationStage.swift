import PersistenceContext
import PersistenceRuntime

/// One stage of a migration, from a version of a schema to another. Apple's.
///
/// Stages run in a transaction on the thread that opens the container. A stage to an older version runs only if a
/// container opens that version.
///
/// ```swift
/// static let stages = [MigrationStage.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)]
/// ```
public enum MigrationStage: Sendable {
  /// A stage without code: the migration changes the tables as the two schemas require. Apple's.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)

  /// A stage with code that runs before or after the tables change. Apple's.
  ///
  /// `willMigrate` gets a context of the old schema, `didMigrate` one of the new schema. Each context is saved after
  /// the code returns. `willMigrate` may also delete rows that make a change impossible. For example, it may delete all
  /// rows of an entity that gets a required attribute without a default.
  @preconcurrency
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?
  )
}

extension MigrationStage {
  /// The version before the stage. Ours.
  public var fromVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(let from, _), .custom(let from, _, _, _): from
    }
  }

  /// The version after the stage. Ours.
  public var toVersion: any VersionedSchema.Type {
    transformedVersion ?? declaredVersion
  }

  private var declaredVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(_, let to), .custom(_, let to, _, _): to
    }
  }

  /// The version after a stage whose code sees both schemas; nil for any other stage.
  private var transformedVersion: (any VersionedSchema.Type)? {
    // Every opening of a container checks its plan. So the slow cast runs only for stages without `willMigrate`.
    guard case .custom(_, let to, nil, _?) = self else { return nil }
    return (to as? any TransformationMark.Type)?.version
  }

  /// Whether the code of the stage sees both schemas.
  package var isTransformation: Bool { transformedVersion != nil }

  /// Whether the code of the stage may remove the rows that prevent a change.
  ///
  /// The rows are checked only after `willMigrate` has run.
  var mayClearObstacles: Bool {
    switch self {
    case .lightweight: false
    case .custom(_, _, let willMigrate, _): willMigrate != nil || isTransformation
    }
  }

  /// The name of the case or function that creates the stage.
  package var kindName: String {
    switch self {
    case .lightweight: "lightweight"
    case .custom: isTransformation ? "transform" : "custom"
    }
  }
}

/// The versions of a schema, and the stages that migrate a store from one to the next. Apple's.
///
/// ```swift
/// enum TripPlan: SchemaMigrationPlan {
///   static let schemas: [any VersionedSchema.Type] = [TripsV1.self, TripsV2.self]
///   static let stages = [MigrationStage.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)]
/// }
/// ```
public protocol SchemaMigrationPlan: SendableMetatype {
  /// Every version that a store may still have, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages between the versions.
  static var stages: [MigrationStage] { get }
}

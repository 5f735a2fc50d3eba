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
  /// A stage that follows from the two schemas alone. Apple's.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)

  /// A stage with code that runs before or after the tables change. Apple's.
  ///
  /// `willMigrate` gets a context of the old schema, `didMigrate` one of the new schema. Each context is saved after
  /// the code returns. A change that does not follow from the schemas is possible if `willMigrate` removes the rows
  /// that prevent it: it may delete all rows of an entity that gets a required attribute without a default.
  @preconcurrency
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?
  )

  /// A stage whose code reads the old objects and changes the new ones. Ours.
  ///
  /// The code runs after the tables have changed. The new objects have the identifiers of the old ones. An attribute
  /// that follows from nothing has its default, or else an empty value such as 0 or an empty text, until the code sets
  /// it. `old` is read-only; `new` is saved after the code returns.
  case transform(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @Sendable (_ old: ModelContext, _ new: ModelContext) throws -> Void
  )
}

extension MigrationStage {
  /// The version before the stage. Ours.
  public var fromVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(let from, _), .custom(let from, _, _, _), .transform(let from, _, _): from
    }
  }

  /// The version after the stage. Ours.
  public var toVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(_, let to), .custom(_, let to, _, _), .transform(_, let to, _): to
    }
  }

  /// Whether the code of the stage may remove the rows that prevent a change.
  ///
  /// The rows are checked after `willMigrate` has run.
  var mayClearObstacles: Bool {
    switch self {
    case .lightweight: false
    case .custom(_, _, let willMigrate, _): willMigrate != nil
    case .transform: true
    }
  }

  /// The name of the case.
  package var kindName: String {
    switch self {
    case .lightweight: "lightweight"
    case .custom: "custom"
    case .transform: "transform"
    }
  }
}

import PersistenceContext
import PersistenceRuntime

/// One step from a version of a schema to another.
///
/// A step to an older version is taken only when a container opens that version.
public enum MigrationStage: Sendable {
  /// A step that follows from the two schemas alone.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)

  /// A step with code of its own before or after the change of the store's tables.
  ///
  /// `willMigrate` sees the old models, `didMigrate` the new ones. What either leaves unsaved is saved for it. Changes that
  /// do not follow from the schemas are possible if `willMigrate` leaves no row that they concern: it may delete all of
  /// an entity before that gets a required attribute without a default.
  @preconcurrency
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?
  )

  /// A step whose code sees both at once: old objects, which cannot be changed, and new ones. Ours.
  ///
  /// Everything that follows from the schemas has been done when it runs: objects have their rows, with the same
  /// identifiers, and what follows from nothing has its default, or the emptiest value there is, until the code sets it.
  case transform(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @Sendable (_ old: ModelContext, _ new: ModelContext) throws -> Void
  )
}

extension MigrationStage {
  /// The version that the stage begins with.
  public var fromVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(let from, _), .custom(let from, _, _, _), .transform(let from, _, _): from
    }
  }

  /// The version that the stage leads to.
  public var toVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(_, let to), .custom(_, let to, _, _), .transform(_, let to, _): to
    }
  }

  /// Whether the code of the stage may see to it that what is in the way is not there any more.
  ///
  /// Whatever is in the way is so because of rows. What `willMigrate` leaves of them is looked at when it has run.
  var mayClearObstacles: Bool {
    switch self {
    case .lightweight: false
    case .custom(_, _, let willMigrate, _): willMigrate != nil
    case .transform: true
    }
  }

  /// What kind of stage it is, as it is written.
  package var kindName: String {
    switch self {
    case .lightweight: "lightweight"
    case .custom: "custom"
    case .transform: "transform"
    }
  }
}

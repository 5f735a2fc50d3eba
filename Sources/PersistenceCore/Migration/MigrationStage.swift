/// One step from a version of a schema to the next.
public enum MigrationStage: Sendable {
  /// A step that follows from the two schemas alone.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)

  /// A step with code of its own before or after the change of the store's tables.
  ///
  /// `willMigrate` sees the old models, `didMigrate` the new ones.
  @preconcurrency
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?
  )
}

import PersistenceContainer
import PersistenceExtensions
import PersistenceRuntime
import PersistenceSchemas
import SQLiteStore
import SwiftData

// Ours: what a migration would do, without doing it.

extension ModelContainer {
  /// What would be done to a store of one version to make it one of another, without code of any stage.
  ///
  /// - Throws: `SwiftDataError.invalidSchema` when a version contradicts itself.
  public static func migrationPlan(
    from old: any VersionedSchema.Type, to new: any VersionedSchema.Type
  ) throws -> MigrationPlan {
    try plan([
      MigrationRoute.ResolvedStage(
        from: MigrationSchema(SchemaPlan(Schema(versionedSchema: old)), name: "\(old) (\(old.versionIdentifier))"),
        to: MigrationSchema(SchemaPlan(Schema(versionedSchema: new)), name: "\(new) (\(new.versionIdentifier))"),
        declared: nil)
    ])
  }

  /// What would be done to a store of one schema to make it one of another.
  ///
  /// - Throws: `SwiftDataError.invalidSchema` when a schema contradicts itself or has no models.
  public static func migrationPlan(from old: Schema, to new: Schema) throws -> MigrationPlan {
    try plan([
      MigrationRoute.ResolvedStage(
        from: MigrationSchema(SchemaPlan(old), name: "the old schema"),
        to: MigrationSchema(SchemaPlan(new), name: "the new schema"), declared: nil)
    ])
  }

  /// What opening a store with a schema would do to it. The file is only read.
  ///
  /// - Throws: `SwiftDataError` when there is no store, or no way from what it has to the schema.
  public static func migrationPlan(
    from configuration: ModelConfiguration, to schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> MigrationPlan {
    if let migrationPlan { try MigrationRouter.check(migrationPlan, for: schema) }
    let target = try SchemaPlan(schema)
    guard !configuration.isStoredInMemoryOnly else { return MigrationPlan(stages: []) }
    let router = MigrationRouter(
      to: target, plan: migrationPlan, path: configuration.url.path(percentEncoded: false))
    let stored = try SQLiteStoreEngine.storedSchemaJSON(of: SQLiteStoreConfiguration(configuration))
    return try plan(try router.route(from: stored)?.stages ?? [])
  }

  private static func plan(_ stages: [MigrationRoute.ResolvedStage]) throws -> MigrationPlan {
    MigrationPlan(
      stages: try stages.map { MigrationPlan.Stage($0, sql: try SQLiteStoreEngine.statements(for: $0)) })
  }
}

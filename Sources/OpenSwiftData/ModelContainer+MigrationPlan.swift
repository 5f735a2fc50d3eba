import PersistenceContainer
import PersistenceExtensions
import PersistenceRuntime
import PersistenceSchemas
import SQLiteStore
import SwiftData

// Not part of Apple's API: these functions describe the steps of a migration without running it.

extension ModelContainer {
  /// Describes the automatic migration from one schema version to another, without opening a store. Ours.
  ///
  /// ```swift
  /// print(try ModelContainer.migrationPlan(from: TripsV1.self, to: TripsV2.self))
  /// ```
  /// - Parameters:
  ///   - old: The earlier version.
  ///   - new: The later version.
  /// - Returns: The steps of the migration, its SQL statements, and the obstacles that require code of the program.
  /// - Throws: `SwiftDataError.invalidSchema` if the schema of a version is invalid.
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

  /// Describes the automatic migration from one schema to another, without opening a store. Ours.
  ///
  /// - Parameters:
  ///   - old: The earlier schema.
  ///   - new: The later schema.
  /// - Returns: The steps of the migration, its SQL statements, and the obstacles that require code of the program.
  /// - Throws: `SwiftDataError.invalidSchema` if a schema is invalid or has no models.
  public static func migrationPlan(from old: Schema, to new: Schema) throws -> MigrationPlan {
    try plan([
      MigrationRoute.ResolvedStage(
        from: MigrationSchema(SchemaPlan(old), name: "the old schema"),
        to: MigrationSchema(SchemaPlan(new), name: "the new schema"), declared: nil)
    ])
  }

  /// Describes the migration that would run if the store were opened with the schema. Does not change the store. Ours.
  ///
  /// - Parameters:
  ///   - configuration: The store.
  ///   - schema: The schema with which the store would be opened.
  ///   - migrationPlan: The versions and stages; nil for an automatic migration.
  /// - Returns: The stages of the migration; none if the store already has the schema.
  /// - Throws: `SwiftDataError` if the store does not exist, or if no stages lead from the store's schema to `schema`.
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

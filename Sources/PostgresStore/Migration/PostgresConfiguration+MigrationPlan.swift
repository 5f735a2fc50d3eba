#if PostgreSQL
  import PersistenceContainer
  import PersistenceExtensions
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL

  extension ModelContainer {
    /// Describes the migration that opening a store in PostgreSQL with a schema would run. Originates with
    /// OpenSwiftData. It only reads the store.
    ///
    /// Any thread may call it; it blocks while it queries the server.
    ///
    /// ```swift
    /// print(try ModelContainer.migrationPlan(from: configuration, to: Schema(versionedSchema: TripsV2.self)))
    /// ```
    /// - Parameters:
    ///   - configuration: The store.
    ///   - schema: The schema with which the store would be opened.
    ///   - migrationPlan: The versions and stages; nil for an automatic migration.
    /// - Returns: The stages, with PostgreSQL's statements; no stages if the store already has the schema.
    /// - Throws: `SwiftDataError` if the store does not exist, or if there is no path from its schema to `schema`.
    public static func migrationPlan(
      from configuration: PostgresConfiguration, to schema: Schema,
      migrationPlan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> MigrationPlan {
      if let migrationPlan { try MigrationRouter.check(migrationPlan, for: schema) }
      let stages = try configuration.stages(to: SchemaPlan(schema), migrationPlan: migrationPlan)
      let dialect = PostgresDialect(namespace: configuration.namespace)
      return MigrationPlan(
        stages: try stages.map { MigrationPlan.Stage($0, sql: try dialect.statements(for: $0)) })
    }
  }
#endif

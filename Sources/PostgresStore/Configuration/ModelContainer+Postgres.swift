#if PostgreSQL
  import PersistenceContainer
  import PersistenceContext
  import PersistenceRuntime

  extension ModelContainer {
    /// Opens the stores of a schema in PostgreSQL databases. Originates with OpenSwiftData.
    ///
    /// To combine stores of several kinds, pass the configurations as an array to the other initialiser.
    ///
    /// - Parameters:
    ///   - givenSchema: The schema.
    ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
    ///   - configuration: The store.
    ///   - others: More stores, each with entities of its own.
    /// - Throws: `SwiftDataError` if the schema contradicts itself (all contradictions are listed), if a configuration
    ///   is invalid, or if a store cannot be opened or migrated.
    public convenience init(
      for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
      configurations configuration: PostgresConfiguration, _ others: PostgresConfiguration...
    ) throws {
      try self.init(
        ContainerSchema(givenSchema), migrationPlan: migrationPlan, configurations: [configuration] + others)
    }
  }
#endif

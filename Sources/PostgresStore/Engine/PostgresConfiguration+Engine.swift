#if PostgreSQL
  import PersistenceContainer
  import PersistenceRuntime
  import PersistenceSchemas

  extension PostgresConfiguration {
    package func openEngine(
      plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> any StoreEngine {
      try PostgresStoreEngine(
        opening(plan: plan, migrationPlan: migrationPlan, cipher: cipher(for: plan)), capacity: maximumConnections,
        timeout: acquireTimeout, retries: saveRetries, propagation: propagation,
        readers: readerURLs.map { settings(reading: $0) }, consistency: readConsistency,
        history: HistoryLimits(history))
    }
  }
#endif

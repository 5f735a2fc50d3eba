#if PostgreSQL
  import PersistenceContainer
  import PersistenceContext
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceStores
  import PersistenceSupport
  import ValueEncryption

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

    /// Describes how the store is opened, and migrated if necessary.
    ///
    /// - Parameter cipher: Encrypts and decrypts values; nil if only the schema of the store is read.
    func opening(
      plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?, cipher: (any ValueCipher)? = nil
    ) -> PostgresOpening {
      let (location, policy) = (storeLocation, uniquenessPolicy)
      let (key, formerKeys) = (encryptionKey, formerEncryptionKeys)
      let migration = PostgresMigrationRequest(
        progress: migrationProgress, timeout: migrationTimeout, keepsBackup: keepsMigrationBackup,
        cipher: { route in
          try ValueEncryption.cipher(
            for: route.resolvedStages.flatMap { $0.from.layouts + $0.to.layouts }, key: key, formerKeys: formerKeys)
        },
        route: { stored in
          let route = try MigrationRouter(to: plan, plan: migrationPlan, path: location, uniquenessPolicy: policy)
            .route(from: stored)
          try route?.check()
          return route
        })
      return PostgresOpening(
        settings, namespace: namespace, allowsSave: allowsSave, plan: plan, cipher: cipher, migration: migration)
    }

    /// The migration stages that opening the store with a schema would run. The store is only read.
    func stages(
      to plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [MigrationRoute.ResolvedStage] {
      try validate()
      let stored = try opening(plan: plan, migrationPlan: migrationPlan).storedSchemaJSON()
      return try MigrationRouter(to: plan, plan: migrationPlan, path: storeLocation).route(from: stored)?.stages ?? []
    }
  }
#endif

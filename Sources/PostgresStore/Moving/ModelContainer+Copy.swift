#if PostgreSQL
  import Foundation
  import PersistenceContainer
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport

  extension PostgresConfiguration {
    /// Opens the store without standbys and without change notifications: no other process uses it yet.
    package func openForFilling(plan: SchemaPlan) throws -> any StoreEngine {
      let (location, policy) = (storeLocation, uniquenessPolicy)
      let refusal = PostgresMigrationRequest(progress: nil, timeout: migrationTimeout) { stored in
        let router = MigrationRouter(to: plan, plan: nil, path: location, uniquenessPolicy: policy)
        guard try router.route(from: stored) == nil else {
          throw SwiftDataError(
            .unknownSchema,
            "The store at \(location) was made for other models, or for another version of these. Choose another namespace, or "
              + "migrate it first; it has not been changed.")
        }
        return nil
      }
      let opening = PostgresOpening(
        settings, namespace: namespace, allowsSave: allowsSave, plan: plan, cipher: try cipher(for: plan),
        migration: refusal)
      return try PostgresStoreEngine(
        opening, capacity: maximumConnections, timeout: acquireTimeout, retries: saveRetries, propagation: .off,
        history: HistoryLimits(history))
    }
  }

  extension ModelContainer {
    /// Copies the whole store to an empty or absent store in a PostgreSQL database. Originates with OpenSwiftData.
    ///
    /// It is like `copy(to:progress:)` of a `ModelConfiguration`, which also copies back. The copy has the store's
    /// identifier, the keys of all models, their values and the order of all lists, but no history. Values of
    /// `.externalStorage` are in the table, and encrypted values are encrypted with the key of the new store.
    ///
    /// ```swift
    /// let container = try ModelContainer(for: Trip.self)
    /// let database = PostgresConfiguration("postgresql://trips@db.example.org/trips")
    /// try await container.copy(to: database)
    /// try await container.close()
    /// let moved = try ModelContainer(for: Trip.self, configurations: database)
    /// ```
    ///
    /// One transaction fills the new store; other processes can read it meanwhile and find it empty. After an error, a
    /// cancellation or the end of the process the new store is unchanged, though a missing store may have been created
    /// empty. The `statementTimeout` of the new store limits the time of each batch. The `statementTimeout` of a copied
    /// PostgreSQL store limits the reading of each entity. If the commit is not acknowledged, the error states this.
    ///
    /// It runs on a reader thread of the container. Any actor may call it.
    ///
    /// - Parameters:
    ///   - configuration: The new store. It does not exist yet, or is an empty store for the same models.
    ///   - progress: Has 1,000 units. Cancelling it, or the task, ends the copy; nothing is copied then.
    /// - Returns: What was copied, with counts and checksums that both stores share.
    /// - Throws: `CancellationError`; `SwiftDataError.storeUnreachable` if the new store has models, or there is no
    ///   server; `.encryptionKeyMissing` for encrypted attributes without a key of the new store; `.unknownSchema` if
    ///   it is for other models; `.configurationSchemaNotFoundInContainerSchema` if the container has several stores;
    ///   `.valueNotStorable` for values that PostgreSQL cannot store, and other errors of the two stores. Nothing is
    ///   copied then.
    @discardableResult
    public func copy(
      to configuration: PostgresConfiguration, progress: Progress = Progress(parent: nil)
    ) async throws -> StoreCopy {
      try await copy(progress) { configuration }
    }
  }
#endif

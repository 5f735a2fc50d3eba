#if PostgreSQL
  import Foundation
  import PersistenceContainer
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport

  extension PostgresConfiguration {
    /// Opens the store to fill it, without standbys and change notifications, since no other process has read it.
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
    /// Copies all models to an empty or missing store in a PostgreSQL database. Originates with OpenSwiftData.
    ///
    /// To copy to a local store, or back, use `copy(to:progress:)` with a `ModelConfiguration`. The copy has the
    /// store's identifier, the keys and values of all models and the order of all lists, but no history. Values of
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
    /// One transaction fills the new store: until its commit, other processes find the store empty. If the copy fails
    /// or is cancelled, or the process crashes, the new store is unchanged, but a missing store may have been created
    /// empty. The `statementTimeout` of the new store limits the time of each batch. If the container's store is in
    /// PostgreSQL too, its `statementTimeout` limits the time to read each entity. If the commit is not acknowledged,
    /// the error says so.
    ///
    /// The copy runs on a reader thread of the container. Any actor may call this method.
    ///
    /// - Parameters:
    ///   - configuration: The new store. It must not exist yet, or be an empty store for the same models.
    ///   - progress: Has 1,000 units. Cancelling it, or the task, cancels the copy; nothing is copied then.
    /// - Returns: What was copied, with counts and checksums, which are the same in both stores.
    /// - Throws: `CancellationError`; `SwiftDataError.storeUnreachable` if the new store has models or the server
    ///   cannot be reached; `.encryptionKeyMissing` if attributes are encrypted and the new store has no key;
    ///   `.unknownSchema` if the new store is for other models; `.configurationSchemaNotFoundInContainerSchema` if the
    ///   container has several stores; `.valueNotStorable` if PostgreSQL cannot store a value, and other errors of the
    ///   two stores. Nothing is copied then.
    @discardableResult
    public func copy(
      to configuration: PostgresConfiguration, progress: Progress = Progress(parent: nil)
    ) async throws -> StoreCopy {
      try await copy(progress) { configuration }
    }
  }
#endif

#if PostgreSQL
  import Foundation
  import PersistenceContainer
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport

  extension PostgresConfiguration {
    /// Opens the store without standbys, and without news for other processes: no other process uses it yet.
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
    /// Copies everything that the store has to an empty or absent one in a PostgreSQL database. Originates with OpenSwiftData.
    ///
    /// It is as `copy(to:progress:)` of a `ModelConfiguration`, which is also the way back: the copy has the identifier of the store, the
    /// keys of all models, their values and the order of all lists, and no history. Values of `.externalStorage` are in the table, and
    /// encrypted ones are encrypted with the key of the new store.
    ///
    /// ```swift
    /// let container = try ModelContainer(for: Trip.self)
    /// let database = PostgresConfiguration("postgresql://trips@db.example.org/trips")
    /// try await container.copy(to: database)
    /// try await container.close()
    /// let moved = try ModelContainer(for: Trip.self, configurations: database)
    /// ```
    ///
    /// One transaction fills the new store, which others can read meanwhile and find empty. After an error, a cancellation or the end of
    /// the process it is as it was: where no store was, there may be an empty one. A `statementTimeout` counts for each batch of the
    /// new store; of a store in PostgreSQL that is copied, for each entity. If the answer to the commit is lost, the error says so.
    ///
    /// It runs on a reader thread of the container. Any actor may call it.
    ///
    /// - Parameters:
    ///   - configuration: The new store. There is none yet, or one for the same models that is empty.
    ///   - progress: Has 1,000 units. Cancelling it, or the task, ends the copy; nothing is copied then.
    /// - Returns: What was copied, with counts and checksums that both stores have.
    /// - Throws: `CancellationError`; `SwiftDataError.storeUnreachable` if the new store has models, or there is no server;
    ///   `.encryptionKeyMissing` for encrypted attributes without a key of the new store; `.unknownSchema` if it is one for other
    ///   models; `.configurationSchemaNotFoundInContainerSchema` if the container has several stores; `.valueNotStorable` for what
    ///   PostgreSQL cannot have, and other errors of the two stores. Nothing is copied then.
    @discardableResult
    public func copy(
      to configuration: PostgresConfiguration, progress: Progress = Progress(parent: nil)
    ) async throws -> StoreCopy {
      try await copy(progress) { configuration }
    }
  }
#endif

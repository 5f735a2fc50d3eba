#if PostgreSQL
  import PersistenceContainer
  import PersistenceContext
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport

  /// A migration whose transaction has made all changes, but is not committed yet.
  struct PendingPostgresMigration {
    let connection: PostgresConnection
    /// The name of the store in messages.
    let place: String
    /// The metadata of the store after the commit.
    let metadata: PostgresMetadata
    let reporter: MigrationReporter
    /// Determines whether the commit has succeeded, if the connection is lost before it is acknowledged.
    let opening: PostgresOpening

    /// Commits the migration.
    ///
    /// - Throws: An error if nothing was changed, or an error that says that the outcome is unknown.
    @discardableResult
    func commit() throws -> PostgresMetadata {
      do {
        try connection.execute("COMMIT")
      } catch let error as SwiftDataError where !connection.isAlive || error.endsSession {
        connection.close()
        try opening.requireCommit(of: metadata, at: place, after: error)
      }
      reporter.complete()
      return metadata
    }

    func rollBack() {
      if connection.isOpen { try? connection.execute("ROLLBACK") }
    }
  }

  /// Migrates several stores of one container. All migrations are run before the first is committed, so if a stage
  /// throws, no store has changed. The commits follow each other directly. If the program crashes between two of them,
  /// the other stores are migrated when the container is opened again.
  ///
  /// The stores are sorted by their location, so that two programs cannot deadlock.
  struct JointPostgresMigration {
    let openings: [(place: String, opening: PostgresOpening)]

    /// Migrates the stores, if at least two must be migrated. A single one is migrated when it is opened.
    func run() throws {
      let waiting = try openings.sorted { $0.place < $1.place }.compactMap { opening in
        try opening.opening.connectionToMigrate().map { (opening.opening, $0) }
      }
      guard waiting.count > 1 else { return }
      var pending: [PendingPostgresMigration] = []
      do {
        for (opening, connection) in waiting {
          if let migration = try opening.prepareMigration(connection) { pending.append(migration) }
        }
      } catch {
        for migration in pending.reversed() { migration.rollBack() }
        throw error
      }
      while let next = pending.first {
        pending.removeFirst()
        do {
          try next.commit()
        } catch {
          for migration in pending { migration.rollBack() }
          throw error
        }
      }
    }
  }

  extension PostgresConfiguration {
    package static func migrateTogether(
      _ parts: [(configuration: PostgresConfiguration, plan: SchemaPlan)],
      migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws {
      let openings = try parts.map { part in
        (
          place: part.configuration.storeLocation,
          opening: part.configuration.opening(
            plan: part.plan, migrationPlan: migrationPlan, cipher: try part.configuration.cipher(for: part.plan))
        )
      }
      try JointPostgresMigration(openings: openings).run()
    }
  }
#endif

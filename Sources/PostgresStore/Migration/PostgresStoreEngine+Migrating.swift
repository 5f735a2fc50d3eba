#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  // The differences of an engine within the transaction of a migration.

  extension PostgresStoreEngine {
    /// Assigns keys that no row has had.
    ///
    /// The next keys are kept here and stored once (``noteMigratedKeys(_:)``): a context's rollback would also undo a
    /// count in the database, although its objects keep their keys.
    func takeMigratedKeys(_ count: Int, for entity: EntityLayout) throws -> ClosedRange<Int64> {
      let name = try database.table(for: entity).sequenceName
      let known = migratedKeys.withLock { $0[name] }
      let first = try known ?? pool.withSession { try nextKey(of: name, $0.connection) }
      let last = first + Int64(max(1, count)) - 1
      guard last <= EngineKeys.greatest else {
        throw SwiftDataError(.storeFull, "\(entity.name) has used up all primary keys of the store at \(location).")
      }
      migratedKeys.withLock { $0[name] = last + 1 }
      return first...last
    }

    private func nextKey(of name: String, _ connection: PostgresConnection) throws -> Int64 {
      var parameters = PostgresParameters()
      try parameters.append(name)
      let table = dialect.table(PostgresOpening.sequenceTable)
      let result = try connection.run(
        PostgresStatement("SELECT \"next\" FROM \(table) WHERE \"entity\" = $1::text", parameters))
      return max(1, result.integer(0, 0) ?? 1)
    }

    /// Stores the next keys, for the next opening of the store.
    func noteMigratedKeys(_ connection: PostgresConnection) throws {
      let table = dialect.table(PostgresOpening.sequenceTable)
      let statements = try migratedKeys.withLock { $0 }.sorted { $0.key < $1.key }.map { name, next in
        var parameters = PostgresParameters()
        try parameters.append(name)
        parameters.append(next)
        return PostgresStatement(
          "INSERT INTO \(table) AS s (\"entity\", \"next\") VALUES ($1::text, $2::int8) "
            + "ON CONFLICT (\"entity\") DO UPDATE SET \"next\" = greatest(s.\"next\", excluded.\"next\")", parameters)
      }
      if !statements.isEmpty { try connection.run(statements, undoes: false) }
    }

    /// Runs a read that may fail and is then evaluated in memory. A savepoint keeps the migration's transaction usable.
    func keepingMigration(_ session: PostgresSession, _ body: () throws -> Void) throws {
      guard isMigrating else { return try body() }
      try session.connection.execute("SAVEPOINT osd_read")
      do {
        try body()
      } catch {
        try? session.connection.execute("ROLLBACK TO SAVEPOINT osd_read; RELEASE SAVEPOINT osd_read")
        throw error
      }
      try session.connection.execute("RELEASE SAVEPOINT osd_read")
    }
  }
#endif

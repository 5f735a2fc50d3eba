#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  // What an engine does differently inside the transaction of a migration.

  extension PostgresStoreEngine {
    /// Reserves keys that no row has had.
    ///
    /// The next keys are kept in memory, and written to the database at the end (``noteMigratedKeys(_:)``). If the
    /// database counted them, a context's rollback would reset the count, although its objects keep their keys.
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

    /// Writes the next keys to the database.
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

    /// Runs a read in a savepoint: if it fails, the transaction stays usable, and the caller evaluates it in memory.
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

#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  extension PostgresStoreEngine: MovableEngine {
    package func readingAtOneMoment(_ body: ((any StoreTransaction)?) throws -> Void) throws {
      let transaction = try begin(isRetry: true, isReading: true)
      defer { transaction.rollBack() }
      // A transaction can only change its isolation level before its first query.
      try transaction.session(of: self).connection.execute(
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
      try body(transaction)
    }

    package func nextKeys(at moment: (any StoreTransaction)?) throws -> [String: Int64] {
      let sql = "SELECT \"entity\", \"next\" FROM \(dialect.table(PostgresOpening.sequenceTable))"
      let result = try withSession(of: moment) { try $0.connection.run(PostgresStatement(sql)) }
      var numbers: [String: Int64] = [:]
      for row in 0..<result.rowCount { numbers[result.text(row, 0) ?? ""] = result.integer(row, 1) }
      var keys: [String: Int64] = [:]
      for table in database.tables where !table.isShared { keys[table.entity.name] = numbers[table.sequenceName] }
      return keys
    }

    /// Begins a transaction with locks: other transactions can read, but can neither write nor reserve keys.
    package func beginFilling() throws -> any StoreTransaction {
      let transaction = try begin(isRetry: true)
      do {
        let links = database.tables.flatMap { table in table.links.values.filter(\.isDefining).map(\.name) }
        let names = database.tables.filter { !$0.isShared }.map(\.name) + Set(links)
        let tables = (names.sorted() + [PostgresOpening.sequenceTable]).map(dialect.table)
        try transaction.session(of: self).connection.execute(
          "LOCK TABLE \(tables.joined(separator: ", ")) IN EXCLUSIVE MODE")
        return transaction
      } catch {
        transaction.rollBack()
        throw error
      }
    }

    package func adopt(_ identity: AdoptedIdentity, in transaction: any StoreTransaction) throws {
      var statements = try PostgresMetadata.adopting(identity.identifier, dialect, cipher: cipher)
      for table in database.tables {
        guard let next = identity.nextKeys[table.entity.name] else { continue }
        statements.append(try raising(table.sequenceName, to: next))
      }
      if identity.lastRecord > 0 {
        var parameters = PostgresParameters()
        parameters.append(identity.lastRecord)
        statements += historyStatements.table.goOn.map { PostgresStatement($0, parameters) }
      }
      _ = try withSession(of: transaction) { try $0.connection.run(statements) }
    }

    /// The statement that sets the next key of a table, unless the present one is higher.
    private func raising(_ sequence: String, to next: Int64) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      try parameters.append(sequence)
      parameters.append(next)
      return PostgresStatement(
        "INSERT INTO \(dialect.table(PostgresOpening.sequenceTable)) AS s (\"entity\", \"next\") VALUES ($1::text, $2::int8) "
          + "ON CONFLICT (\"entity\") DO UPDATE SET \"next\" = greatest(s.\"next\", excluded.\"next\")", parameters)
    }
  }
#endif

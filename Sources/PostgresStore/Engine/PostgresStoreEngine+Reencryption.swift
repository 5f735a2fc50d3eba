#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  // Others save while the key changes, and a save that has read a row before writes it with the key that its program has. So a pass over
  // the rows that were changed since the beginning follows each pass that has found any values of former keys, and the first.

  extension PostgresStoreEngine {
    package func encryptedRowCount() throws -> Int {
      guard allowsSave, cipher?.hasFormerKeys == true else { return 0 }
      let statements = SealedTable.all(of: database).map {
        PostgresStatement("SELECT count(*) FROM \(dialect.table($0.name))")
      }
      let results = try withOwnSession { try $0.connection.run(statements) }
      return results.reduce(0) { $0 + (Int(exactly: $1.integer(0, 0) ?? 0) ?? 0) }
    }

    package func reencrypt(from progress: EngineReencryption, limit: Int) throws -> EngineReencryption {
      guard let cipher, cipher.hasFormerKeys else {
        // Opening has proved that there are no values of other keys.
        var progress = progress
        progress.isComplete = true
        return progress
      }
      var attempt = 0
      while true {
        do {
          return try advanced(progress, limit: limit, cipher, isRetry: attempt > 0)
        } catch  where attempt < saveRetryLimit && isRetryable(error) {
          attempt += 1
        }
      }
    }

    private func advanced(
      _ progress: EngineReencryption, limit: Int, _ cipher: any ValueCipher, isRetry: Bool
    ) throws -> EngineReencryption {
      var progress = progress
      let transaction = try begin(isRetry: isRetry)
      do {
        let hasChanged = try advance(&progress, limit: limit, in: transaction, cipher)
        if hasChanged { try transaction.commit() } else { transaction.rollBack() }
      } catch {
        transaction.rollBack()
        throw error
      }
      return progress
    }

    /// Goes over the next rows, or ends; whether there is anything to commit.
    private func advance(
      _ progress: inout EngineReencryption, limit: Int, in transaction: PostgresTransaction, _ cipher: any ValueCipher
    ) throws -> Bool {
      let tables = SealedTable.all(of: database)
      guard progress.table < tables.count else {
        guard progress.round > 1, progress.values == 0 else {
          progress.beginNextPass()
          return false
        }
        try end(tables, in: transaction, cipher)
        progress.isComplete = true
        return true
      }
      if progress.foreignChanges == nil { progress.foreignChanges = try oldestTransaction(transaction) }
      let rows = PostgresSealedRows(tables[progress.table], transaction: transaction, cipher: cipher)
      let batch = try rows.run(
        from: progress.key, limit: limit, changedSince: progress.round > 1 ? progress.foreignChanges : nil)
      progress.add(batch)
      return batch.values > 0
    }

    /// The number of the oldest transaction that is open: rows that cannot be seen yet are of that one or of later ones.
    private func oldestTransaction(_ transaction: PostgresTransaction) throws -> Int64? {
      let statement = PostgresStatement("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int8")
      return try transaction.run([statement]).first?.integer(0, 0)
    }

    /// Makes the store one that the present key alone opens.
    private func end(
      _ tables: [SealedTable], in transaction: PostgresTransaction, _ cipher: any ValueCipher
    ) throws {
      try PostgresSealedTombstones(transaction: transaction, cipher: cipher).reseal(tables)
      guard let metadata = try PostgresMetadata(from: transaction.session(of: self).connection, dialect) else {
        throw SwiftDataError(
          .storeCorrupt, "The store at \(location) lost its metadata while it was open. Restore it from a backup.")
      }
      // Another program may have begun with one more key.
      try metadata.check(cipher, of: "the store at \(location)")
      let change = try metadata.replacingProof(with: metadata.sealed(with: cipher), dialect)
      guard try transaction.run([change]).first?.affectedRows == 1 else {
        throw SwiftDataError(
          .storeBusy,
          "Another program changes the key of the store at \(location) too. What was encrypted anew stays so; try again."
        )
      }
    }
  }

  extension EngineReencryption {
    /// Begins a pass over the rows that were changed since the first began. The rows of that one count as the progress that was made.
    fileprivate mutating func beginNextPass() {
      let (start, visited) = (foreignChanges, rows)
      restart()
      (foreignChanges, rows) = (start, visited)
    }
  }
#endif

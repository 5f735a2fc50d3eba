#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  // Other programs can save during the re-encryption, and may still encrypt with an old key. So further passes read the
  // rows changed since the first pass began, until a pass finds no value that is encrypted with an old key.

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
        // Opening the store has checked that no value is encrypted with another key.
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

    /// Re-encrypts the next rows, or ends the work after the last pass. Returns whether there is something to commit.
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

    /// The lowest ID of a running transaction. Rows that are not visible yet have this ID or a higher one.
    private func oldestTransaction(_ transaction: PostgresTransaction) throws -> Int64? {
      let statement = PostgresStatement("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int8")
      return try transaction.run([statement]).first?.integer(0, 0)
    }

    /// Makes the current key the only one that decrypts the store.
    private func end(
      _ tables: [SealedTable], in transaction: PostgresTransaction, _ cipher: any ValueCipher
    ) throws {
      try PostgresSealedTombstones(transaction: transaction, cipher: cipher).reseal(tables)
      guard let metadata = try PostgresMetadata(from: transaction.session(of: self).connection, dialect) else {
        throw SwiftDataError(
          .storeCorrupt, "The store at \(location) lost its metadata while it was open. Restore it from a backup.")
      }
      // Throws if another program already uses a newer key.
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
    /// Begins a pass over the rows changed since the first pass began. The count of the rows read so far is kept.
    fileprivate mutating func beginNextPass() {
      let (start, visited) = (foreignChanges, rows)
      restart()
      (foreignChanges, rows) = (start, visited)
    }
  }
#endif

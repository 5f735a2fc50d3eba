import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

extension SQLiteStoreEngine {
  /// The maximum number of bytes of new values in one transaction.
  private static let greatestBatch = 16 << 20

  package func encryptedRowCount() throws -> Int {
    guard allowsSave, cipher?.hasFormerKeys == true else { return 0 }
    let connection = try pool.takeWriter()
    defer { pool.giveBackWriter() }
    return try sealedTables.reduce(0) { count, table in
      try count + Int(connection.number("SELECT count(*) FROM \(SQLiteDialect().quoted(table.name))") ?? 0)
    }
  }

  package func reencrypt(from progress: EngineReencryption, limit: Int) throws -> EngineReencryption {
    var progress = progress
    guard let cipher, cipher.hasFormerKeys else {
      // If the cipher has no former keys, the store opens only if all values are encrypted with the current key.
      progress.isComplete = true
      return progress
    }
    let transaction = try begin()
    do {
      if progress.foreignChanges == nil { progress.foreignChanges = foreignChangeCount }
      let hasChanged = try advance(&progress, limit: limit, in: transaction, cipher)
      if hasChanged { try transaction.commit() } else { transaction.rollBack() }
    } catch {
      transaction.rollBack()
      throw error
    }
    return progress
  }

  /// Re-encrypts the next batch, or completes the re-encryption; returns whether there is anything to commit.
  private func advance(
    _ progress: inout EngineReencryption, limit: Int, in transaction: SQLiteTransaction, _ cipher: any ValueCipher
  ) throws -> Bool {
    let tables = sealedTables
    guard progress.table < tables.count else {
      // Another process may have used a former key to write values into rows that were already re-encrypted.
      if progress.foreignChanges != foreignChangeCount, progress.round == 1 || progress.values > 0 {
        progress.restart()
        return false
      }
      try SealedTombstones(connection: transaction.usable(), cipher: cipher).reseal(tables)
      try forgetFormerKeys(in: transaction, cipher)
      progress.isComplete = true
      return true
    }
    let resealing = SealedRows(
      table: tables[progress.table], transaction: transaction, folder: externalFolder, cipher: cipher)
    let batch = try resealing.run(from: progress.key, limit: limit, greatestBatch: Self.greatestBatch)
    progress.add(batch)
    return batch.values > 0
  }

  /// Makes the current key the only one that opens the store.
  private func forgetFormerKeys(in transaction: SQLiteTransaction, _ cipher: any ValueCipher) throws {
    let handle = try transaction.usable().handle
    guard let metadata = try StoreMetadata(from: handle) else {
      throw SwiftDataError(
        .storeCorrupt,
        "The store at \(configuration.path) lost its metadata while it was open. Restore it from a backup.")
    }
    try metadata.sealed(with: cipher).write(to: handle)
  }

  /// The tables with encrypted values.
  private var sealedTables: [SealedTable] { SealedTable.all(of: database) }
}

import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Re-encrypts the values of a table with the current key, in a transaction.
struct SealedRows {
  let table: SealedTable
  let transaction: SQLiteTransaction
  let folder: ExternalFolder?
  let cipher: any ValueCipher

  func run(from first: Int64, limit: Int, greatestBatch: Int) throws -> SealedTable.Batch {
    let connection = try transaction.usable()
    let dialect = SQLiteDialect()
    let (key, name) = (dialect.quoted(DatabaseMapping.keyColumn), dialect.quoted(table.name))
    let columns = table.columns.map { dialect.quoted($0.name) }
    let sql =
      "SELECT \(([key] + columns).joined(separator: ", ")) FROM \(name) WHERE \(key) >= ?1 ORDER BY \(key) LIMIT ?2"
    return try connection.withStatement(sql) { row in
      try row.bind(first, at: 1)
      try row.bind(Int64(limit), at: 2)
      var batch = SealedTable.Batch()
      var bytes = 0
      while try row.step() {
        batch.rows += 1
        batch.last = row.integer(0)
        for count in try reseal(row, of: connection) {
          batch.values += 1
          bytes += count
        }
        if bytes > greatestBatch { return batch }
      }
      if batch.rows < limit { batch.last = nil }
      return batch
    }
  }

  /// Re-encrypts the values of a row.
  ///
  /// - Returns: The sizes in bytes of the re-encrypted values.
  private func reseal(_ row: SQLiteStatement, of connection: SQLiteConnection) throws -> [Int] {
    let dialect = SQLiteDialect()
    var counts: [Int] = []
    for (index, column) in table.columns.enumerated() {
      let key = row.integer(0)
      guard let bytes = try sealed(row.value(Int32(index + 1)), column.outOfRowValue, key),
        let other = try column.outOfRowValue.resealed(bytes, ofRow: key, with: cipher)
      else { continue }
      let sql =
        "UPDATE \(dialect.quoted(table.name)) SET \(dialect.quoted(column.name)) = ?1 "
        + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = ?2"
      let value = try externalized(other, column.outOfRowValue)
      try connection.withStatement(sql) { statement in
        try statement.bind(value, at: 1)
        try statement.bind(key, at: 2)
        try statement.run()
      }
      counts.append(other.count)
    }
    return counts
  }

  /// Reads the encrypted bytes from the row or from the external file; nil if there is no value.
  private func sealed(_ value: StoredValue, _ outOfRow: OutOfRowValue, _ key: Int64) throws -> Data? {
    switch value {
    case .null: return nil
    case .blob(let bytes): return bytes
    case .text(let reference):
      guard outOfRow.isExternal, let folder else { break }
      do {
        return try folder.bytes(of: reference)
      } catch let error as UnreadableExternalValue {
        throw outOfRow.unsealable(ofRow: key, error.reason, underlying: error)
      }
    default: break
    }
    throw outOfRow.unsealable(ofRow: key, "it holds no encrypted value; restore the store from a backup")
  }

  private func externalized(_ bytes: Data, _ outOfRow: OutOfRowValue) throws -> StoredValue {
    guard outOfRow.isExternal, let external = transaction.external, bytes.count > external.largestInline else {
      return .blob(bytes)
    }
    return .text(try bytes.withUnsafeBytes { try external.keep($0) })
  }
}

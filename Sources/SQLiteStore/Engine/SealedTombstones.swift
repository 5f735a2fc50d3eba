import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// The encrypted values of deleted rows in the history. Only the current key or a former key can decrypt them.
struct SealedTombstones {
  /// The number of values in a batch.
  private static let portion: Int64 = 500

  let connection: SQLiteConnection
  let cipher: any ValueCipher

  /// Encrypts all values with the current key, and deletes the values that no key decrypts.
  func reseal(_ tables: [SealedTable]) throws {
    guard try connection.handle.hasTable(TombstoneTable.name) else { return }
    for table in tables {
      for (column, outOfRow) in table.columns { try reseal(table.name, column, outOfRow) }
    }
  }

  private func reseal(_ table: String, _ column: String, _ outOfRow: OutOfRowValue) throws {
    var last: (number: Int64, key: Int64) = (.min, .min)
    while true {
      let values = try values(of: table, column, behind: last)
      for (number, key, value) in values {
        last = (number, key)
        try change(value, outOfRow) { try write($0, number: number, key: key, table, column) }
      }
      guard values.count == Int(Self.portion) else { return }
    }
  }

  private func values(
    of table: String, _ column: String, behind last: (number: Int64, key: Int64)
  ) throws -> [(number: Int64, key: Int64, value: StoredValue)] {
    let sql =
      "SELECT number, key, value FROM \(TombstoneTable.name) WHERE (number, key) > (?1, ?2) AND \"table\" = ?3 "
      + "AND \"column\" = ?4 ORDER BY number, key LIMIT ?5"
    return try connection.withStatement(sql) { statement in
      try statement.bind(last.number, at: 1)
      try statement.bind(last.key, at: 2)
      try statement.bind(table, at: 3)
      try statement.bind(column, at: 4)
      try statement.bind(Self.portion, at: 5)
      var found: [(number: Int64, key: Int64, value: StoredValue)] = []
      while try statement.step() {
        found.append((number: statement.integer(0), key: statement.integer(1), value: statement.value(2)))
      }
      return found
    }
  }

  /// Calls the closure with the re-encrypted value, or with nil to delete the value. A value that stays causes no call.
  private func change(_ value: StoredValue, _ outOfRow: OutOfRowValue, _ body: (Data?) throws -> Void) throws {
    switch value {
    case .null: return
    case .blob(let bytes):
      let resealed: Data?
      do {
        resealed = try bytes.withUnsafeBytes {
          try cipher.resealed($0, entity: outOfRow.entity, property: outOfRow.property)
        }
      } catch {
        return try body(nil)
      }
      if let resealed { try body(resealed) }
    // A value that was stored before the attribute was encrypted is deleted.
    default: try body(nil)
    }
  }

  private func write(_ bytes: Data?, number: Int64, key: Int64, _ table: String, _ column: String) throws {
    let row = "number = ?1 AND \"table\" = ?2 AND key = ?3 AND \"column\" = ?4"
    let change = bytes == nil ? "DELETE FROM \(TombstoneTable.name)" : "UPDATE \(TombstoneTable.name) SET value = ?5"
    let sql = "\(change) WHERE \(row)"
    try connection.withStatement(sql) { statement in
      try statement.bind(number, at: 1)
      try statement.bind(table, at: 2)
      try statement.bind(key, at: 3)
      try statement.bind(column, at: 4)
      if let bytes { try statement.bind(StoredValue.blob(bytes), at: 5) }
      try statement.run()
    }
  }
}

import CSQLite
import PersistenceCore
import SQLEngine

extension SQLiteConnection {
  /// The least primary key that no row of a table ever had.
  func nextKey(of table: TableMapping) throws -> Int64 {
    let known = try withStatement("SELECT next FROM \(StoreFormat.sequenceTable) WHERE entity = ?1") { statement in
      try statement.bind(table.sequenceName, at: 1)
      return try statement.step() ? statement.integer(0) : nil
    }
    if let known { return known }
    let greatest = try number(RowStatements(dialect: SQLiteDialect()).greatestKey(of: table)) ?? 0
    // Saturates; who reserves keys checks for the end of their range.
    return max(0, min(greatest, .max - 1)) + 1
  }

  func setNextKey(_ key: Int64, of table: TableMapping) throws {
    try withStatement("INSERT OR REPLACE INTO \(StoreFormat.sequenceTable) VALUES (?1, ?2)") { statement in
      try statement.bind(table.sequenceName, at: 1)
      try statement.bind(key, at: 2)
      try statement.run()
    }
  }
}

import CSQLite
import PersistenceCore
import SQLEngine

extension SQLiteConnection {
  /// The least primary key that no row of a table ever had.
  func nextKey(of table: TableMapping) throws -> Int64 {
    try nextKey(of: table.sequenceName, in: table.name)
  }

  func setNextKey(_ key: Int64, of table: TableMapping) throws {
    try setNextNumber(key, of: table.sequenceName)
  }

  /// The least number that no pair of a link table ever had. A pair that comes later stands behind those that were there
  /// before, and their places are counted by the numbers of pairs that may be gone.
  func nextKey(of link: LinkTableMapping) throws -> Int64 {
    try nextKey(of: link.name, in: link.name)
  }

  func setNextKey(_ key: Int64, of link: LinkTableMapping) throws {
    try setNextNumber(key, of: link.name)
  }

  /// What a sequence says; where there is none yet, or it is none that keys come from, one more than the greatest key
  /// of the table.
  private func nextKey(of sequence: String, in table: String) throws -> Int64 {
    if let known = try nextNumber(of: sequence), known > 0 { return known }
    let greatest = try number(RowStatements(dialect: SQLiteDialect()).greatestKey(ofTableNamed: table)) ?? 0
    // Saturates; who reserves keys checks for the end of their range.
    return max(0, min(greatest, .max - 1)) + 1
  }
}

// MARK: Sequences

extension SQLiteConnection {
  /// The next number of a sequence, nil when it has not begun.
  func nextNumber(of sequence: String) throws -> Int64? {
    try withStatement("SELECT next FROM \(StoreFormat.sequenceTable) WHERE entity = ?1") { statement in
      try statement.bind(sequence, at: 1)
      return try statement.step() ? statement.integer(0) : nil
    }
  }

  func setNextNumber(_ number: Int64, of sequence: String) throws {
    try withStatement("INSERT OR REPLACE INTO \(StoreFormat.sequenceTable) VALUES (?1, ?2)") { statement in
      try statement.bind(sequence, at: 1)
      try statement.bind(number, at: 2)
      try statement.run()
    }
  }
}

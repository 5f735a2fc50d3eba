import CSQLite
import SQLEngine

extension SQLiteConnection {
  /// The least primary key above those that the table has and those that it was ever given.
  func nextKey(of table: TableMapping) throws -> Int64 {
    try withNextKey(of: table, sql: Self.nextKeySQL(in: table.name)) { try Self.nextKey($0, of: table.sequenceName) }
  }

  func setNextKey(_ key: Int64, of table: TableMapping) throws {
    try setNextNumber(key, of: table.sequenceName)
  }

  /// The least number that no pair of a link table ever had. A pair that comes later stands behind those that were there
  /// before, and their places are counted by the numbers of pairs that may be gone.
  func nextKey(of link: LinkTableMapping) throws -> Int64 {
    try withStatement(Self.nextKeySQL(in: link.name)) { try Self.nextKey($0, of: link.name) }
  }

  func setNextKey(_ key: Int64, of link: LinkTableMapping) throws {
    try setNextNumber(key, of: link.name)
  }

  /// Reads what the sequence in parameter 1 says, and the greatest key of a table: the end of its b-tree, found at once.
  ///
  /// Both are needed. Keys of rows that are gone are in the sequence alone, and rows that other programs added are in the
  /// table alone.
  private static func nextKeySQL(in table: String) -> String {
    let greatest = RowStatements(dialect: SQLiteDialect()).greatestKey(ofTableNamed: table)
    return "SELECT (SELECT next FROM \(StoreFormat.sequenceTable) WHERE entity = ?1), (\(greatest))"
  }

  private static func nextKey(_ statement: SQLiteStatement, of sequence: String) throws -> Int64 {
    try statement.bind(sequence, at: 1)
    guard try statement.step() else { return 1 }
    let (next, greatest) = (statement.integer(0), statement.integer(1))
    // Saturates. `reserveKeys` checks for the end of the range.
    return max(1, next, min(greatest, .max - 1) + 1)
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

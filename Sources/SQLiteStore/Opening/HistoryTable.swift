import Foundation
import PersistenceHistory
import SQLEngine

/// The history tables of a SQLite store: one has a row for each save, the other a row for each value of deleted rows.
///
/// A table is created with its first row. SQLite reads the definitions of all tables whenever a store is opened, so
/// unused tables would make opening slower. `docs/the-file.md` describes the tables for other programs.
enum HistoryTable {
  static let name = DatabaseMapping.ownPrefix + "history"

  /// The statement that creates the table.
  ///
  /// A record without `changes` is a deleted record. The last record is kept in this form, so that its number is not
  /// reused: SQLite assigns the number after the greatest one.
  static let creation = """
    CREATE TABLE IF NOT EXISTS \(name) (number INTEGER PRIMARY KEY, time REAL NOT NULL, author TEXT, program TEXT, \
    process TEXT, changes TEXT, gap INTEGER, total INTEGER)
    """

  /// Adds a record with the time, the author, the changes and the value of the column `gap`. The program and the
  /// process are constants in the SQL text, so saves need not bind them.
  static let append = """
    INSERT INTO \(name) (time, author, program, process, changes, gap) \
    VALUES (?1, ?2, \(HistoryWriter.program.quoted(by: "'")), \(HistoryWriter.process.quoted(by: "'")), ?3, ?4)
    """

  /// The number of the last record. Deleted records are included.
  static let last = "SELECT max(number) FROM \(name)"
  /// The number of the first record that was not deleted, and the number of the last record.
  static let ends = "SELECT (SELECT number FROM \(name) WHERE changes IS NOT NULL ORDER BY number LIMIT 1), (\(last))"
  /// The number of records after the number in parameter 1, up to the number in parameter 2.
  static let count = "SELECT count(*) FROM \(name) WHERE number > ?1 AND number <= ?2 AND changes IS NOT NULL"

  /// The first record's number and time.
  static let firstTime = "SELECT number, time FROM \(name) WHERE changes IS NOT NULL ORDER BY number LIMIT 1"
  /// The first record after the number in parameter 1 with a time of at least parameter 2.
  static let firstSince = "SELECT number FROM \(name) WHERE number > ?1 AND time >= ?2 ORDER BY number LIMIT 1"
  /// The first record with a running total of bytes after the number in parameter 1, up to the number in parameter 2.
  static let nextTotal = """
    SELECT number, total FROM \(name) WHERE number > ?1 AND number <= ?2 AND total IS NOT NULL ORDER BY number LIMIT 1
    """
  /// The last record with a running total of bytes before the number in parameter 1.
  static let lastTotal =
    "SELECT number, total FROM \(name) WHERE number < ?1 AND total IS NOT NULL ORDER BY number DESC LIMIT 1"
  /// The size in bytes of the records after parameter 1, up to parameter 2, plus parameter 3 for each record.
  static let sum =
    "SELECT sum(coalesce(length(CAST(changes AS BLOB)), 0) + ?3) FROM \(name) WHERE number > ?1 AND number <= ?2"
  static let setTotal = "UPDATE \(name) SET total = ?2 WHERE number = ?1"
  static let deleteBefore = "DELETE FROM \(name) WHERE number < ?1"

  static let delete = "DELETE FROM \(name) WHERE number = ?1"
  /// Turns a record into a deleted record: only its number, its time and its running total stay.
  static let empty = """
    UPDATE \(name) SET author = NULL, program = NULL, process = NULL, changes = NULL, gap = NULL WHERE number = ?1
    """

  /// Reads records with numbers after parameter 1 up to parameter 2, and with times from parameter 3 to parameter 4.
  /// Parameter 5 is the maximum number of records, and parameter 6 an author.
  ///
  /// - Parameter isReversed: Whether the records with the highest numbers come first.
  static func select(_ author: AuthorTest, isReversed: Bool) -> String {
    "SELECT number, time, author, program, process, changes, gap FROM \(name) "
      + "WHERE number > ?1 AND number <= ?2 AND time >= ?3 AND time <= ?4 AND changes IS NOT NULL\(author.rawValue) "
      + "ORDER BY number\(isReversed ? " DESC" : "") LIMIT ?5"
  }

  /// The condition by which a request selects records by their author.
  enum AuthorTest: String {
    case any = ""
    case none = " AND author IS NULL"
    case named = " AND author = ?6"
  }
}

/// The program and the process that write records.
enum HistoryWriter {
  static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  static let process = String(ProcessInfo.processInfo.processIdentifier)
}

extension SQLiteHandle {
  /// The number of the last record, including deleted ones; 0 for a store that never had a history.
  var lastHistoryNumber: Int64 {
    get throws { try hasTable(HistoryTable.name) ? number(HistoryTable.last) ?? 0 : 0 }
  }
}

/// The table with the values of deleted rows, one row for each value.
enum TombstoneTable {
  static let name = DatabaseMapping.ownPrefix + "tombstones"
  /// The prefix of the names of all tombstone triggers.
  static let triggerPrefix = DatabaseMapping.ownPrefix + "preserve_"

  /// The statement that creates the table. The value column has no declared type, so that values stay unchanged.
  static let creation = """
    CREATE TABLE IF NOT EXISTS \(name) (number INTEGER NOT NULL, "table" TEXT NOT NULL, key INTEGER NOT NULL, \
    "column" TEXT NOT NULL, value, PRIMARY KEY (number, "table", key, "column")) WITHOUT ROWID
    """

  static let deleteOne = "DELETE FROM \(name) WHERE number = ?1"
  static let deleteBefore = "DELETE FROM \(name) WHERE number < ?1"
  /// The size in bytes of the values of records after parameter 1, up to parameter 2, plus parameter 3 for each value.
  static let sum =
    "SELECT sum(coalesce(length(CAST(value AS BLOB)), 0) + ?3) FROM \(name) WHERE number > ?1 AND number <= ?2"

  /// Deletes values that triggers have stored for deletions without a record.
  static func removeUnrecorded(from handle: SQLiteHandle) throws {
    guard try handle.hasTable(name) else { return }
    try handle.execute("DELETE FROM \(name) WHERE number > \(handle.lastHistoryNumber)")
  }
}

/// The triggers that store the values of deleted rows in the tombstone table.
///
/// The triggers are plain SQL, so that they also fire for deletions by other programs and by foreign key actions. Each
/// tombstone (stored value) gets the number of the record that the deleting save adds afterwards.
struct TombstoneTriggers {
  /// The SQL of the triggers by name.
  let statements: [(name: String, sql: String)]

  init(for database: DatabaseMapping) {
    statements = database.tables.filter { !$0.isShared }.compactMap { table in
      let columns = Self.columns(of: table)
      return columns.isEmpty ? nil : Self.trigger(on: table, columns)
    }
  }

  /// The columns of a table whose values the triggers store.
  private static func columns(of table: TableMapping) -> [String] {
    ([table] + table.subtables).flatMap { table in
      table.entity.preservedProperties.filter { property in
        table.entity.inheritance.map { $0.isRoot || property.position >= $0.firstPosition } ?? true
      }.flatMap { table.columns(of: $0.position).map(\.name) }
    }
  }

  private static func trigger(on table: TableMapping, _ columns: [String]) -> (name: String, sql: String) {
    let dialect = SQLiteDialect()
    let name = TombstoneTable.triggerPrefix + table.name
    let number = "(SELECT coalesce(max(number), 0) + 1 FROM \(HistoryTable.name))"
    let row = "\(number), \(dialect.literal(.text(table.name))), OLD.\(dialect.quoted(DatabaseMapping.keyColumn))"
    let values = columns.map { "(\(row), \(dialect.literal(.text($0))), OLD.\(dialect.quoted($0)))" }
    let sql =
      "CREATE TRIGGER \(dialect.quoted(name)) BEFORE DELETE ON \(dialect.quoted(table.name)) BEGIN "
      + "INSERT OR REPLACE INTO \(TombstoneTable.name) VALUES \(values.joined(separator: ", ")); END"
    return (name, sql)
  }

  /// Creates the triggers, and the tables that they need, if they are missing.
  func ensure(on handle: SQLiteHandle) throws {
    guard !statements.isEmpty else { return }
    // Without the tables, triggers that still exist would make every deletion fail.
    try handle.execute(HistoryTable.creation)
    try handle.execute(TombstoneTable.creation)
    let present = try Self.present(on: handle)
    let missing = statements.filter { present[$0.name] != $0.sql }
    for (name, sql) in missing {
      try handle.execute("DROP TRIGGER IF EXISTS \(SQLiteDialect().quoted(name))")
      try handle.execute(sql)
    }
  }

  /// Drops all tombstone triggers before a migration or the deletion of all rows. The next deletion recreates them.
  static func remove(from handle: SQLiteHandle) throws {
    for name in try present(on: handle).keys.sorted() {
      try handle.execute("DROP TRIGGER \(SQLiteDialect().quoted(name))")
    }
  }

  /// The SQL of the tombstone triggers of a store, by name.
  static func present(on handle: SQLiteHandle) throws -> [String: String] {
    let statement = try SQLiteStatement(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, \(TombstoneTable.triggerPrefix.count)) "
        + "= '\(TombstoneTable.triggerPrefix)'", on: handle)
    var result: [String: String] = [:]
    while try statement.step() { result[statement.text(0) ?? ""] = statement.text(1) ?? "" }
    return result
  }
}

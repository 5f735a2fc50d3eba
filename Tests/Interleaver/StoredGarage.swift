import CSQLite
import SwiftData

/// A plain SQLite connection to the store, such as another program would use.
final class StoredGarage {
  struct Failure: Error { let message: String }

  private var connection: OpaquePointer?

  init(_ file: URL) throws {
    guard sqlite3_open_v2(file.path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw Failure(message: "cannot open \(file.path)")
    }
    sqlite3_busy_timeout(connection, 10_000)
  }

  deinit { sqlite3_close_v2(connection) }

  /// The values of all vehicles, by serial number.
  func values() throws -> [Int: Int] {
    let rows = try rows("SELECT serial, value FROM Vehicle")
    return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
  }

  func numbers(of table: String, _ column: String) throws -> [Int] {
    try rows("SELECT \(column) FROM \(table) ORDER BY \(column)").map { $0[0] }
  }

  func run(_ sql: String) throws { _ = try rows(sql) }

  /// The problems that SQLite's checks of foreign keys and of the file report.
  func problems() throws -> [String] {
    try texts("PRAGMA foreign_key_check") + texts("PRAGMA integrity_check").filter { $0 != "ok" }
  }

  private func rows(_ sql: String) throws -> [[Int]] {
    try each(sql) { statement in
      (0..<sqlite3_column_count(statement)).map { Int(sqlite3_column_int64(statement, $0)) }
    }
  }

  private func texts(_ sql: String) throws -> [String] {
    try each(sql) { sqlite3_column_text($0, 0).map { String(cString: $0) } ?? "NULL" }
  }

  private func each<Row>(_ sql: String, _ read: (OpaquePointer?) -> Row) throws -> [Row] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    var result: [Row] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: result.append(read(statement))
      case SQLITE_DONE: return result
      default: throw failure(sql)
      }
    }
  }

  private func failure(_ sql: String) -> Failure {
    Failure(message: "\(String(cString: sqlite3_errmsg(connection))) in \(sql)")
  }
}

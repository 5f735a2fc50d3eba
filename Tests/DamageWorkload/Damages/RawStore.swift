import CSQLite
import SwiftData

/// An SQLite connection to a store's file that enforces neither foreign keys nor CHECK constraints.
package final class RawStore {
  package struct Failure: Error { package let message: String }

  private var connection: OpaquePointer?

  package init(_ path: String) throws {
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw Failure(message: "cannot open \(path)")
    }
    try run("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")
  }

  deinit { sqlite3_close_v2(connection) }

  /// Executes statements.
  package func run(_ sql: String) throws {
    guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Executes one statement with bound values, and returns its rows.
  @discardableResult
  package func rows(_ sql: String, _ values: [RawValue] = []) throws -> [[RawValue]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(sql)
    }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() { value.bind(to: statement, at: Int32(index + 1)) }
    var rows: [[RawValue]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw failure(sql) }
      rows.append((0..<sqlite3_column_count(statement)).map { RawValue(statement, at: $0) })
    }
  }

  private func failure(_ sql: String) -> Failure {
    Failure(message: "\(String(cString: sqlite3_errmsg(connection))) in \(sql.prefix(200))")
  }
}

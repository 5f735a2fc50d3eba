import CSQLite

/// A store as any other program opens it: with no collation and no function of the library's.
package final class PlainDatabase {
  package struct Failure: Error, CustomStringConvertible { package let description: String }

  private var connection: OpaquePointer?

  /// - Parameter mayCreate: Whether a file that is not there is made.
  package init(_ path: String, mayCreate: Bool = false) throws {
    let flags = SQLITE_OPEN_READWRITE | (mayCreate ? SQLITE_OPEN_CREATE : 0)
    guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else {
      throw Failure(description: "cannot open \(path)")
    }
  }

  deinit { sqlite3_close_v2(connection) }

  /// Runs one statement, and returns the texts of its rows.
  @discardableResult
  package func rows(_ sql: String) throws -> [[String?]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw failure(sql) }
      rows.append(
        (0..<sqlite3_column_count(statement)).map { index in
          sqlite3_column_text(statement, index).map { String(cString: $0) }
        })
    }
  }

  /// The first column of every row that has a value in it.
  package func column(_ sql: String) throws -> [String] { try rows(sql).compactMap { $0[0] } }

  /// What is wrong with the file; empty when it is sound.
  package func problems() throws -> [String] { try column("PRAGMA integrity_check").filter { $0 != "ok" } }

  private func failure(_ sql: String) -> Failure {
    Failure(description: "\(String(cString: sqlite3_errmsg(connection))) in \(sql)")
  }
}

import CSQLite

/// The file of a store, opened as other programs would open it: without the library's collations and functions.
package final class RawDatabase {
  package struct Failure: Error { let message: String }

  private var connection: OpaquePointer?

  /// - Parameter mayCreate: Whether a missing file is created.
  package init(_ path: String, mayCreate: Bool = false) throws {
    let flags = SQLITE_OPEN_READWRITE | (mayCreate ? SQLITE_OPEN_CREATE : 0)
    guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else {
      throw Failure(message: "cannot open \(path)")
    }
  }

  deinit { sqlite3_close_v2(connection) }

  /// Runs one statement, and returns the values of its rows as texts.
  @discardableResult
  package func rows(_ sql: String) throws -> [[String?]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: "\(String(cString: sqlite3_errmsg(connection))) in \(sql)")
    }
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw Failure(message: String(cString: sqlite3_errmsg(connection))) }
      rows.append(
        (0..<sqlite3_column_count(statement)).map { index in
          sqlite3_column_text(statement, index).map { String(cString: $0) }
        })
    }
  }

  /// The values of the first column, except NULL.
  package func column(_ sql: String) throws -> [String] { try rows(sql).compactMap { $0[0] } }

  package func run(_ sql: String) throws { _ = try rows(sql) }

  /// Returns true if no other connection holds the write lock.
  package func isWritable() -> Bool {
    guard sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK else { return false }
    return sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) == SQLITE_OK
  }

  /// The problems that SQLite finds in the file.
  package func problems() throws -> [String] {
    let broken = try column("PRAGMA integrity_check").filter { $0 != "ok" }
    return try broken + column("PRAGMA foreign_key_check").map { "a row of \($0) refers to nothing" }
  }

  package static func problems(of path: String) throws -> [String] { try RawDatabase(path).problems() }
}

extension RawDatabase {
  /// Creates a database as another program would, without the library.
  package static func make(_ path: String, _ sql: String) throws {
    var made: OpaquePointer?
    defer { sqlite3_close_v2(made) }
    guard sqlite3_open(path, &made) == SQLITE_OK, sqlite3_exec(made, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure(message: "cannot make \(path)")
    }
  }
}

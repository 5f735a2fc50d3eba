import CSQLite
import Foundation
import Testing

/// A store as SQLite alone sees it.
final class RawDatabase {
  private var handle: OpaquePointer?

  init(_ path: String) throws {
    try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// The first column of every row.
  func rows(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
      code = sqlite3_step(statement)
    }
    try #require(code == SQLITE_DONE, "\(String(cString: sqlite3_errmsg(handle)))")
    return rows
  }

  /// Whether nobody has the lock of those who write.
  func isWritable() -> Bool {
    guard sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK else { return false }
    return sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) == SQLITE_OK
  }

  /// What is wrong with the file.
  static func problems(of path: String) throws -> [String] {
    let database = try RawDatabase(path)
    let broken = try database.rows("PRAGMA integrity_check").filter { $0 != "ok" }
    return try broken + database.rows("PRAGMA foreign_key_check").map { "a row of \($0) refers to nothing" }
  }
}

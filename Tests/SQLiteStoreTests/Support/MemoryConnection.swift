import CSQLite
import SQLiteStore

/// A connection of its own, with the functions on texts.
final class MemoryConnection {
  private var handle: OpaquePointer?

  init() throws {
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK, let handle,
      TextCollation.register(on: handle) == SQLITE_OK, TextCollation.registerFunctions(on: handle) == SQLITE_OK
    else { throw MemoryConnectionFailure() }
  }

  deinit { sqlite3_close(handle) }

  /// -1, 0 or 1, as what rows are sorted by says of two texts.
  func comparison(of left: String, _ right: String) throws -> Int32 {
    let sql = "SELECT (l > r) - (l < r) FROM (SELECT _osd_ordered(?1) AS l, _osd_ordered(?2) AS r)"
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw MemoryConnectionFailure() }
    defer { sqlite3_finalize(statement) }
    return try bound(left, at: 1, of: statement) {
      try bound(right, at: 2, of: statement) {
        guard sqlite3_step(statement) == SQLITE_ROW else { throw MemoryConnectionFailure() }
        return sqlite3_column_int(statement, 0)
      }
    }
  }

  /// The text is SQLite's for as long as `body` runs.
  private func bound<Result>(
    _ text: String, at index: Int32, of statement: OpaquePointer?, _ body: () throws -> Result
  ) throws -> Result {
    try text.withCString { bytes in
      guard sqlite3_bind_text(statement, index, bytes, Int32(text.utf8.count), nil) == SQLITE_OK else {
        throw MemoryConnectionFailure()
      }
      return try body()
    }
  }
}

struct MemoryConnectionFailure: Error {}

import CSQLite
import PersistenceCore
import SQLiteStore

/// A connection to a SQLite database in memory, on which the library's text functions are registered.
final class MemoryConnection {
  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  init() throws {
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK, let handle, TextFunctions.register(on: handle) == SQLITE_OK
    else { throw MemoryConnectionFailure() }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  /// Evaluates the expression. Its parameters are one or two texts in stored form. Returns the integer result.
  func number(_ expression: String, _ texts: String...) throws -> Int {
    let statement = try statement("SELECT \(expression)")
    defer { sqlite3_reset(statement) }
    for (index, text) in texts.enumerated() {
      let form = StoredText.form(of: text)
      let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      guard
        sqlite3_bind_text(statement, Int32(index + 1), form, Int32(form.utf8.count), copies) == SQLITE_OK
      else { throw MemoryConnectionFailure() }
    }
    guard sqlite3_step(statement) == SQLITE_ROW else { throw MemoryConnectionFailure() }
    return Int(sqlite3_column_int(statement, 0))
  }

  private func statement(_ sql: String) throws -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw MemoryConnectionFailure()
    }
    statements[sql] = statement
    return statement
  }
}

struct MemoryConnectionFailure: Error {}

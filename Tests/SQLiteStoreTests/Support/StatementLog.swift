import CSQLite
import PersistenceCore
import Synchronization

/// Records the statements that connections to one file run after they are opened.
///
/// SQLite calls a registered function for every connection that any code opens.
enum StatementLog {
  private static let state = Mutex<(path: String, statements: [String])?>(nil)

  /// Runs the block. Returns the statements of all connections to the file that are opened during the block. Only one
  /// caller may run at a time.
  static func statements(onFile path: String, _ body: () throws -> Void) rethrows -> [String] {
    state.withLock { $0 = (path, []) }
    let trace: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32 = { connection, _, _ in
      sqlite3_trace_v2(
        connection, UInt32(SQLITE_TRACE_STMT), { _, _, statement, _ in StatementLog.note(statement) }, nil)
    }
    // The C declaration has no parameters, but SQLite's documentation guarantees these three arguments.
    let entry = unsafeBitCast(trace, to: (@convention(c) () -> Void).self)
    sqlite3_auto_extension(entry)
    defer { sqlite3_cancel_auto_extension(entry) }
    try body()
    return state.withLock { state in
      defer { state = nil }
      return state?.statements ?? []
    }
  }

  private static func note(_ statement: UnsafeMutableRawPointer?) -> Int32 {
    let statement = OpaquePointer(statement)
    guard let file = sqlite3_db_filename(sqlite3_db_handle(statement), "main"), let sql = sqlite3_sql(statement) else {
      return 0
    }
    let (path, text) = (String(cString: file), String(cString: sql))
    state.withLock { if $0?.path == path { $0?.statements.append(text) } }
    return 0
  }
}

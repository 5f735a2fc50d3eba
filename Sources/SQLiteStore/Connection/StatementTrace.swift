import CSQLite
import PersistenceSupport

/// Measures the time of one connection's statements, for the log of slow ones.
///
/// Only connections with such a log have a trace. Only used on the thread that uses the connection.
final class StatementTrace {
  private let log: SlowStatementLog
  private let path: String
  /// The start times of the running statements, since several can run at the same time.
  private var starts: [OpaquePointer: ContinuousClock.Instant] = [:]

  init(_ log: SlowStatementLog, path: String) {
    self.log = log
    self.path = path
  }

  func begin(_ statement: OpaquePointer) {
    // SQLite reports the start of each trigger in the statement too. Only the first start counts.
    if starts[statement] == nil { starts[statement] = .now }
  }

  func end(_ statement: OpaquePointer) {
    guard let start = starts.removeValue(forKey: statement) else { return }
    log.note(.now - start, store: path) { text(of: statement) }
  }

  private func text(of statement: OpaquePointer) -> String {
    if log.showsValues, let expanded = sqlite3_expanded_sql(statement) {
      defer { sqlite3_free(expanded) }
      return String(cString: expanded)
    }
    return sqlite3_sql(statement).map { String(cString: $0) } ?? ""
  }
}

extension SQLiteHandle {
  /// Measures the time of the connection's statements.
  func trace(_ log: SlowStatementLog) throws {
    let trace = StatementTrace(log, path: path)
    self.trace = trace
    // SQLite does not retain the trace. The handle retains it while the connection is open.
    let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE)
    try check(sqlite3_trace_v2(pointer, events, Self.note, Unmanaged.passUnretained(trace).toOpaque()))
  }

  private static let note:
    @convention(c) (UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32 = {
      event, context, statement, _ in
      guard let context, let statement else { return 0 }
      let trace = Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
      if event == UInt32(SQLITE_TRACE_STMT) {
        trace.begin(OpaquePointer(statement))
      } else {
        trace.end(OpaquePointer(statement))
      }
      return 0
    }
}

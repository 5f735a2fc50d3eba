import CSQLiteBenchmark
import Foundation

/// A connection to a database, through SQLite's C functions.
final class RawConnection {
  private let handle: OpaquePointer

  /// - Parameter waits: Whether the connection waits for locks of other connections. When several connections open a
  ///   file at the same time, the first one locks it for a moment.
  init(_ file: URL, settings: RawSettings, waits: Bool = false) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(file.path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw RawError(message: "cannot open \(file.path)")
    }
    self.handle = handle
    if waits { sqlite3_busy_timeout(handle, 10_000) }
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
    if let size = settings.cacheMebibytes {
      try execute("PRAGMA cache_size = -\(size * 1024)")
    }
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Runs statements without results.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error }
  }

  /// Prepares a statement for repeated use.
  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK, let statement else { throw error }
    return RawStatement(statement, in: self)
  }

  /// Runs the work in one transaction.
  func transaction(_ work: () throws -> Void) throws {
    try execute("BEGIN")
    try work()
    try execute("COMMIT")
  }

  /// SQLite's last error on this connection.
  var error: RawError {
    RawError(message: String(cString: sqlite3_errmsg(handle)))
  }
}

/// An error that SQLite reported.
struct RawError: Error, CustomStringConvertible {
  let message: String

  var description: String { "SQLite: \(message)" }
}

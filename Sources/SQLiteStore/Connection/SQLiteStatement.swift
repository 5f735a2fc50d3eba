import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// A prepared statement.
///
/// Confined to the thread that has its connection.
final class SQLiteStatement {
  let pointer: OpaquePointer
  let sql: String
  let parameters: [SQLParameter]
  /// The error that a code of the statement stands for, made once since every fetch hands it over.
  let error: (Int32) -> SwiftDataError
  /// Whether a caller has leased it: it may be between its first step and its reset.
  private(set) var isLeased = false
  /// When it was last used, as a count of its cache.
  var lastUse = 0
  private let handle: SQLiteHandle
  private let hasLists: Bool

  init(_ sql: String, parameters: [SQLParameter] = [], on handle: SQLiteHandle) throws {
    let pointer = try handle.prepare(sql)
    self.pointer = pointer
    self.sql = sql
    // A branch that is never taken may have had parameters, and then was not written.
    self.parameters = Array(parameters.prefix(Int(sqlite3_bind_parameter_count(pointer))))
    self.handle = handle
    self.error = { [handle] code in
      code == EngineStatement.missingRowCode ? Self.missingRow(path: handle.path) : handle.error(code, sql: sql)
    }
    self.hasLists = self.parameters.contains(where: \.isList)
  }

  deinit {
    sqlite3_finalize(pointer)
  }

  /// Whether the statement was made with these parameters. Two requests may have the same text and bind other values to
  /// it, because a condition that is constant leaves only one of its branches in the text.
  func hasParameters(_ others: [SQLParameter]) -> Bool {
    parameters.isEmpty || others.starts(with: parameters)
  }

  /// The statement for the use of one caller: itself, or another one like it when a caller further up has it.
  func lease() throws -> SQLiteStatement {
    let statement = isLeased ? try SQLiteStatement(sql, parameters: parameters, on: handle) : self
    statement.isLeased = true
    return statement
  }

  func giveBack() {
    sqlite3_reset(pointer)
    // Lists can be large; everything else may stay until it is bound anew.
    if hasLists { sqlite3_clear_bindings(pointer) }
    isLeased = false
  }

  /// Moves to the next row and says whether there is one.
  func step() throws -> Bool {
    let code = sqlite3_step(pointer)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw error(code) }
    return false
  }

  /// Makes the statement ready to begin anew.
  func rewind() { sqlite3_reset(pointer) }

  /// Runs a statement that returns no rows.
  func run() throws {
    try check(osd_sqlite_step_write(pointer))
  }

  func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw error(code) }
  }

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(pointer, column)
  }

  func real(_ column: Int32) -> Double {
    sqlite3_column_double(pointer, column)
  }

  func text(_ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(pointer, column) else { return nil }
    let count = Int(sqlite3_column_bytes(pointer, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private static func missingRow(path: String) -> SwiftDataError {
    SwiftDataError(
      .modelNotFound,
      "A model that was changed is not in the store at \(path) any more: another context or process deleted it. "
        + "Roll back, or delete it here too.")
  }
}

extension SQLiteHandle {
  /// The number that a statement returns first, nil when it returns no row. The statement is not kept.
  func number(_ sql: String) throws -> Int64? {
    let statement = try SQLiteStatement(sql, on: self)
    return try statement.step() ? statement.integer(0) : nil
  }
}

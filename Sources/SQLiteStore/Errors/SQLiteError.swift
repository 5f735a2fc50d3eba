import CSQLite
import Foundation
import PersistenceSupport

extension SwiftDataError {
  /// The error that SQLite reported; the cause of a store's error.
  public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// SQLite's extended result code.
    public let code: Int32
    /// SQLite's message.
    public let message: String
    /// The statement that failed, if a statement failed.
    public let sql: String?

    package init(code: Int32, message: String, sql: String? = nil) {
      self.code = code
      self.message = message
      self.sql = sql
    }

    /// The primary result code, without the details of the extended code.
    public var primaryCode: Int32 { code & 0xFF }

    public var description: String {
      "SQLite error \(code): \(message)" + (sql.map { " in: \($0)" } ?? "")
    }
  }
}

package typealias SQLiteError = SwiftDataError.SQLiteError

extension SQLiteError {
  /// The store error for a failure of SQLite.
  ///
  /// - Parameter systemCode: The last `errno` of SQLite, which distinguishes a full disk from other write errors.
  func storeError(path: String, systemCode: Int32 = 0) -> SwiftDataError {
    let isFull = primaryCode == SQLITE_FULL || (primaryCode == SQLITE_IOERR && Self.isFull(systemCode))
    let (kind, text) = isFull ? Self.full : kindAndText
    return SwiftDataError(kind, text.replacing("%", with: "the store at \(path)"), underlying: self)
  }

  private static let full: (SwiftDataError.Kind, String) = (
    .storeFull,
    "There is no room left for %: the disk or the store's size limit is full. Nothing was saved. "
      + "Make room and save again."
  )

  private static func isFull(_ systemCode: Int32) -> Bool {
    [ENOSPC, EDQUOT, EFBIG].contains(systemCode)
  }

  private var kindAndText: (SwiftDataError.Kind, String) {
    switch primaryCode {
    case SQLITE_BUSY, SQLITE_LOCKED:
      (.storeBusy, "Another process or context is still using %. Try again, or raise the busy time-out.")
    case SQLITE_READONLY, SQLITE_PERM:
      (
        .storeReadOnly,
        "The file or folder of % may not be written. Change its permissions, or open it without saving."
      )
    case SQLITE_CORRUPT:
      (.storeCorrupt, "The file of % is damaged. Restore it from a backup; it has not been changed.")
    case SQLITE_NOTADB:
      (.storeNotADatabase, "The file of % is no database. Choose another file; this one has not been changed.")
    case SQLITE_CANTOPEN:
      (.storeUnreachable, "The file of % cannot be opened. Check that its folder exists and may be read.")
    case SQLITE_CONSTRAINT: (.modelValidationFailure, constraintText)
    case SQLITE_TOOBIG:
      (.valueNotStorable, "A value is too large for %. Keep it in a file of its own, as external storage.")
    default: (.storeFailure, "% failed: \(message).")
    }
  }

  private var constraintText: String {
    let columns = message.split(separator: ": ", maxSplits: 1).dropFirst().first.map(String.init) ?? message
    switch SQLiteConstraint(rawValue: code >> 8) {
    case .unique, .primaryKey, .rowIdentifier:
      return "Another model in % has the same values for \(columns), which must be unique. "
        + "Change one of the two, or fetch the existing model and update it."
    case .notNull:
      return "\(columns) has no value, which % requires. Set it before saving, or make the property optional."
    case .foreignKey:
      return "A model refers to one that is not in %. "
        + "Insert the other model too, or delete or change what refers to it before deleting it."
    default: return "A rule of % is broken: \(message)."
    }
  }
}

/// The kinds of constraints, by the upper part of SQLite's extended result code for a violation.
///
/// SQLite defines these codes by macros that Swift does not import.
enum SQLiteConstraint: Int32 {
  case foreignKey = 3
  case notNull = 5
  case primaryKey = 6
  case unique = 8
  case rowIdentifier = 10

  /// Whether an extended code reports duplicate values of a unique constraint.
  static func isUniqueness(_ code: Int32) -> Bool {
    guard code & 0xFF == SQLITE_CONSTRAINT, let constraint = SQLiteConstraint(rawValue: code >> 8) else { return false }
    return constraint == .unique
  }
}

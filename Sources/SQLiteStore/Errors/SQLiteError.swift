import PersistenceSupport

extension SwiftDataError {
  /// What SQLite said when it failed; the cause of a store's error.
  public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// SQLite's extended result code.
    public let code: Int32
    /// SQLite's words.
    public let message: String
    /// The statement that failed, when it was a statement.
    public let sql: String?

    package init(code: Int32, message: String, sql: String? = nil) {
      self.code = code
      self.message = message
      self.sql = sql
    }

    /// The code without the details that the extended code adds.
    public var primaryCode: Int32 { code & 0xFF }

    public var description: String {
      "SQLite error \(code): \(message)" + (sql.map { " in: \($0)" } ?? "")
    }
  }
}

package typealias SQLiteError = SwiftDataError.SQLiteError

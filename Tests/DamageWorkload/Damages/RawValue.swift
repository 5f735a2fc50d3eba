import CSQLite
import SwiftData

/// A value in one of SQLite's storage classes. A text is an array of bytes, because a damaged text may be invalid
/// UTF-8.
package enum RawValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  static func text(_ text: String) -> RawValue { .text(Array(text.utf8)) }

  init(_ statement: OpaquePointer, at index: Int32) {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, index))
    case SQLITE_TEXT: self = .text(Self.bytes(sqlite3_column_text(statement, index), statement, index))
    case SQLITE_BLOB: self = .blob(Self.bytes(sqlite3_column_blob(statement, index), statement, index))
    default: self = .null
    }
  }

  /// Copies the bytes of a column. SQLite keeps the originals only until the statement's next step.
  private static func bytes(_ start: UnsafeRawPointer?, _ statement: OpaquePointer, _ index: Int32) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))))
  }

  func bind(to statement: OpaquePointer, at index: Int32) {
    // With this marker, SQLite copies the bytes when they are bound.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let bytes):
      (bytes + [0]).withUnsafeBytes {
        _ = sqlite3_bind_text(
          statement, index, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), transient)
      }
    case .blob(let bytes): sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
    }
  }

  /// The text as a Swift string; nil for values of other storage classes.
  var string: String? {
    guard case .text(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The description of the value in the output of the process.
  var words: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let bytes):
      "'\(String(decoding: bytes.prefix(80), as: UTF8.self).filter { $0 >= " " })' (\(bytes.count))"
    case .blob(let bytes):
      "x'\(bytes.prefix(16).map { String($0, radix: 16) }.joined(separator: " "))' (\(bytes.count))"
    }
  }
}

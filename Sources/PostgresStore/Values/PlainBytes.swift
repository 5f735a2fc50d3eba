#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// Encodes plain values as bytes while a migration encrypts or decrypts their column. The bytes are the text form of
  /// the value in PostgreSQL (``PostgresDialect/bytes(ofPlain:_:)``).
  ///
  /// The payload bits of a floating-point NaN are lost.
  enum PlainBytes {
    /// Converts bytes from the server to a value; nil if they are not a value of the type.
    static func value(of bytes: Data, _ type: SQLParameterType) -> StoredValue? {
      guard case .value(let format, let isUnsigned) = type else { return nil }
      guard format != .blob else { return .blob(bytes) }
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      switch format {
      case .integer where isUnsigned: return UInt64(text).map { integer($0) }
      case .integer, .reference: return Int64(text).map { .integer($0) }
      case .real: return Double(text).map { $0.isNaN ? .text(NotANumber.text(of: $0)) : .real($0) }
      case .decimal: return .text(text == lowest ? StoredDecimal.notANumber : text)
      case .text, .url, .json: return .text(text)
      case .blob: return nil
      }
    }

    /// Converts a value to bytes that the server can convert to a value of the type; nil if that is impossible.
    static func bytes(of value: StoredValue, _ type: SQLParameterType) -> Data? {
      guard case .value(let format, _) = type else { return nil }
      let text: String
      switch (format, value) {
      case (.blob, .blob(let bytes)): return bytes
      case (.integer, .integer(let number)), (.real, .integer(let number)), (.decimal, .integer(let number)):
        text = "\(number)"
      case (.integer, .blob(let bytes)) where bytes.count == 8:
        text = "\(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })"
      case (.real, .real(let number)): text = "\(number)"
      // The engine passes a NaN as text.
      case (.real, .text): text = "NaN"
      case (.decimal, .text(let digits)): text = digits == StoredDecimal.notANumber ? lowest : digits
      case (.text, .text(let form)), (.url, .text(let form)), (.json, .text(let form)): text = form
      default: return nil
      }
      return Data(text.utf8)
    }

    /// What a column contains for a decimal that is not a number.
    private static let lowest = "-Infinity"

    /// The engine passes an integer above `Int64.max` as 8 bytes.
    private static func integer(_ number: UInt64) -> StoredValue {
      Int64(exactly: number).map { .integer($0) } ?? .blob(withUnsafeBytes(of: number.bigEndian) { Data($0) })
    }
  }
#endif

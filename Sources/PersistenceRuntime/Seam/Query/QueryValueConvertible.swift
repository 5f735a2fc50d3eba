import Foundation
import PersistenceSupport

/// A type whose stored representation is known.
package protocol QueryValueConvertible {
  /// The value as a column stores it.
  var queryValue: QueryValue { get }
}

extension Bool: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(self ? 1 : 0) }
}

extension Int: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(Int64(self)) }
}

extension Int8: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(Int64(self)) }
}

extension Int16: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(Int64(self)) }
}

extension Int32: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(Int64(self)) }
}

extension Int64: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(self) }
}

extension UInt8: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(Int64(self)) }
}

extension UInt16: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(Int64(self)) }
}

extension UInt32: QueryValueConvertible {
  package var queryValue: QueryValue { .integer(Int64(self)) }
}

extension UInt: QueryValueConvertible {
  package var queryValue: QueryValue { UInt64(self).queryValue }
}

extension UInt64: QueryValueConvertible {
  /// An integer, or 8 bytes, the highest first, for what a signed integer cannot hold.
  package var queryValue: QueryValue {
    if let integer = Int64(exactly: self) { return .integer(integer) }
    return .blob(withUnsafeBytes(of: bigEndian) { Data($0) }, .integer)
  }
}

extension Double: QueryValueConvertible {
  package var queryValue: QueryValue { isNaN ? .text(NotANumber.text(of: self), .real) : .real(self) }
}

extension Float: QueryValueConvertible {
  package var queryValue: QueryValue { Double(self).queryValue }
}

extension Decimal: QueryValueConvertible {
  package var queryValue: QueryValue { .text(StoredDecimal.digits(of: self), .decimal) }
}

extension String: QueryValueConvertible {
  package var queryValue: QueryValue { .text(StoredText.form(of: self), .text) }
}

extension Date: QueryValueConvertible {
  package var queryValue: QueryValue { timeIntervalSinceReferenceDate.queryValue }
}

extension UUID: QueryValueConvertible {
  package var queryValue: QueryValue { .blob(withUnsafeBytes(of: uuid) { Data($0) }, .blob) }
}

extension Data: QueryValueConvertible {
  package var queryValue: QueryValue { .blob(self, .blob) }
}

extension URL: QueryValueConvertible {
  package var queryValue: QueryValue { .text(storedText, .url) }
}

/// In a predicate an identifier is the key of its row. Without a row it matches none.
extension PersistentIdentifier: QueryValueConvertible {
  package var queryValue: QueryValue {
    guard let row else { return .integer(-1) }
    return .identifier(row.entity, row.key)
  }
}

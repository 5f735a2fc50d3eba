import Foundation
import PersistenceSupport

/// The meaning of a key path in a query.
///
/// A trivial type, for frequently executed code: a ``PropertyLayout`` is costly to copy.
package enum KeyPathMeaning: Sendable, Hashable {
  /// A stored value with its own column.
  case property(Int)
  /// The model's identifier.
  case key
  case relationship(Int)
  /// A property stored by a transformer.
  case transformable(Int)
  /// A composite property.
  case composite(Int)
  /// A member of a composite: the property's position, and the column relative to the property's first column.
  case column(Int, Int)
  /// A stored member of a value, by its offset.
  case member(Int)
  /// `rawValue` of a value that is stored as its raw value.
  case rawValue
  /// `isEmpty` of a string.
  case emptyText
  /// `count` of a string, data or a collection.
  case count
  /// `isEmpty` of data or a collection.
  case isEmpty
  /// `first` of an array.
  case first
  /// `timeIntervalSince1970` of a date.
  case secondsSince1970
  /// `isNaN` of a number.
  case isNotANumber
  case unknown
}

// MARK: Encoding

extension KeyPathMeaning {
  /// The meaning in one word, for atomic access: the kind in the low bits, the position above them.
  package var code: UInt {
    switch self {
    case .unknown: 0
    case .property(let position): UInt(position) << 4 | 1
    case .key: 2
    case .relationship(let position): UInt(position) << 4 | 3
    case .transformable(let position): UInt(position) << 4 | 4
    case .rawValue: 5
    case .emptyText: 6
    case .composite(let position): UInt(position) << 4 | 7
    case .column(let position, let column): UInt(position) << 20 | UInt(column) << 4 | 8
    case .member(let offset): UInt(offset) << 4 | 9
    case .count: 10
    case .isEmpty: 11
    case .first: 12
    case .secondsSince1970: 13
    case .isNotANumber: 14
    }
  }

  package init(code: UInt) {
    let position = Int(code >> 4)
    switch code & 15 {
    case 1: self = .property(position)
    case 2: self = .key
    case 3: self = .relationship(position)
    case 4: self = .transformable(position)
    case 5: self = .rawValue
    case 6: self = .emptyText
    case 7: self = .composite(position)
    case 8: self = .column(position >> 16, position & 0xFFFF)
    case 9: self = .member(position)
    case 10: self = .count
    case 11: self = .isEmpty
    case 12: self = .first
    case 13: self = .secondsSince1970
    case 14: self = .isNotANumber
    default: self = .unknown
    }
  }
}

/// A type whose stored representation is known.
package protocol QueryValueConvertible {
  /// The value in its stored representation.
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
  /// An integer, or 8 big-endian bytes for a value that exceeds `Int64`.
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

/// In a predicate an identifier is the key of its row. An identifier without a row matches no row.
extension PersistentIdentifier: QueryValueConvertible {
  package var queryValue: QueryValue {
    if let row { return .identifier(row.entity, row.key) }
    if case .custom(let entity, _) = key { return .identifier(entity, -1) }
    return .integer(-1)
  }
}

/// A type whose `<` agrees with the order of its stored representation.
///
/// An enum that defines `<` itself does not conform, regardless of its raw values.
package protocol StorageOrdered {}

extension Int: StorageOrdered {}
extension Int8: StorageOrdered {}
extension Int16: StorageOrdered {}
extension Int32: StorageOrdered {}
extension Int64: StorageOrdered {}
extension UInt: StorageOrdered {}
extension UInt8: StorageOrdered {}
extension UInt16: StorageOrdered {}
extension UInt32: StorageOrdered {}
extension UInt64: StorageOrdered {}
extension Double: StorageOrdered {}
extension Float: StorageOrdered {}
extension Decimal: StorageOrdered {}
extension String: StorageOrdered {}
extension Date: StorageOrdered {}
extension UUID: StorageOrdered {}

// An optional has the order of its wrapped type, with nil first.
extension Optional: StorageOrdered where Wrapped: StorageOrdered {}

/// Tests whether a store can compare a type.
package enum StorageOrder {
  @specialized(where Value == Int)
  @specialized(where Value == String)
  @specialized(where Value == Double)
  @specialized(where Value == Date)
  package static func check<Value>(_ type: Value.Type) throws(UntranslatableExpression) {
    guard Value.self is any StorageOrdered.Type else {
      throw UntranslatableExpression(
        "an order of values of type \(Value.self), whose '<' is not the order of its stored values")
    }
  }

  package static func isOrdered(_ type: any Any.Type) -> Bool {
    type is any StorageOrdered.Type
  }
}

import Foundation
import PersistenceSupport

/// What a key path in a predicate or sort order refers to.
///
/// Contains only integers, so that frequently executed code can copy it. Copying a ``PropertyLayout`` takes longer.
package enum KeyPathMeaning: Sendable, Hashable {
  /// A property with one column that contains its value.
  case property(Int)
  /// The model's identifier, which is the primary key of its row.
  case key
  case relationship(Int)
  /// A property whose value a value transformer converts.
  case transformable(Int)
  /// A composite property.
  case composite(Int)
  /// A member of a composite: the property's position, and the column relative to the property's first column.
  case column(Int, Int)
  /// A stored property of a value, at this offset in the value's memory.
  case member(Int)
  /// `rawValue` of a value whose column contains the raw value.
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
  /// The meaning as one integer, which can be read atomically. The low bits contain the case, the others the position.
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

/// A type whose values can be converted to the form in which a store contains them.
package protocol QueryValueConvertible {
  /// The value in the form in which a store contains it.
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

/// A predicate compares identifiers by the keys of their rows. An identifier without a row gets -1, which no row has.
extension PersistentIdentifier: QueryValueConvertible {
  package var queryValue: QueryValue {
    if let row { return .identifier(row.entity, row.key) }
    if case .custom(let entity, _) = key { return .identifier(entity, -1) }
    return .integer(-1)
  }
}

/// A type whose `<` sorts values in the same order as the database sorts the stored values.
///
/// An enum that defines `<` does not conform, even if its raw values have the same order.
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

// Optional values have the order of the wrapped type, and nil is first.
extension Optional: StorageOrdered where Wrapped: StorageOrdered {}

/// Tests whether a store can sort values of a type, and compare them by `<`.
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

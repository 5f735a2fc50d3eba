import Foundation
import PersistenceSupport

/// A binary arithmetic operation.
package enum ArithmeticOperation: UInt8, Sendable, Hashable {
  case add = 0
  case subtract = 1
  case multiply = 2
  case divide = 3
  case remainder = 4
}

/// The numeric type of an operation, which determines overflow and rounding.
///
/// An engine passes the raw values to the functions that it defines in its database.
package enum NumberForm: UInt8, Sendable, Hashable {
  case int8 = 0
  case int16 = 1
  case int32 = 2
  case int64 = 3
  case uint8 = 4
  case uint16 = 5
  case uint32 = 6
  case uint64 = 7
  case float = 8
  case double = 9
  case decimal = 10

  /// Returns nil for a type whose arithmetic a store cannot evaluate.
  package init?(_ type: any Any.Type) {
    guard let form = Self.forms[ObjectIdentifier(type)] else { return nil }
    self = form
  }

  private static let forms: [ObjectIdentifier: NumberForm] = [
    ObjectIdentifier(Int.self): .int64, ObjectIdentifier(Int8.self): .int8, ObjectIdentifier(Int16.self): .int16,
    ObjectIdentifier(Int32.self): .int32, ObjectIdentifier(Int64.self): .int64, ObjectIdentifier(UInt.self): .uint64,
    ObjectIdentifier(UInt8.self): .uint8, ObjectIdentifier(UInt16.self): .uint16,
    ObjectIdentifier(UInt32.self): .uint32, ObjectIdentifier(UInt64.self): .uint64,
    ObjectIdentifier(Float.self): .float, ObjectIdentifier(Double.self): .double,
    ObjectIdentifier(Decimal.self): .decimal,
  ]

  /// The column format of the operation's result.
  package var format: ColumnFormat {
    switch self {
    case .float, .double: .real
    case .decimal: .decimal
    default: .integer
    }
  }
}

/// A comparison of strings by a rule other than the order of their Unicode scalars.
///
/// An engine passes the raw values to the functions that it defines in its database.
package enum TextComparison: UInt8, Sendable, Hashable {
  case caseInsensitive = 0
  case localized = 1
}

/// How the elements of a collection that is stored as JSON are encoded.
///
/// An engine passes the raw values to the functions that it defines in its database.
package enum ElementForm: UInt8, Sendable, Hashable {
  case integer = 0
  case boolean = 1
  case double = 2
  case float = 3
  case text = 4
  case identifier = 5
  case data = 6

  /// Returns nil for an element type that a store cannot decode.
  package init?(_ type: any Any.Type) {
    let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
    if let form = Self.forms[ObjectIdentifier(wrapped)] {
      self = form
    } else if let raw = RawStorage.type(of: wrapped), let form = Self.rawForm(of: raw) {
      self = form
    } else {
      return nil
    }
  }

  /// The form of an enum's raw values. Nil for a struct with raw values, which may be encoded in another way.
  private static func rawForm<R: RawRepresentable>(of type: R.Type) -> ElementForm? {
    EnumCases.isKnown(for: type) ? forms[ObjectIdentifier(R.RawValue.self)] : nil
  }

  private static let forms: [ObjectIdentifier: ElementForm] = [
    ObjectIdentifier(Int.self): .integer, ObjectIdentifier(Int8.self): .integer, ObjectIdentifier(Int16.self): .integer,
    ObjectIdentifier(Int32.self): .integer, ObjectIdentifier(Int64.self): .integer,
    ObjectIdentifier(UInt.self): .integer, ObjectIdentifier(UInt8.self): .integer,
    ObjectIdentifier(UInt16.self): .integer, ObjectIdentifier(UInt32.self): .integer,
    ObjectIdentifier(UInt64.self): .integer, ObjectIdentifier(Bool.self): .boolean,
    ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .float, ObjectIdentifier(Date.self): .double,
    ObjectIdentifier(String.self): .text, ObjectIdentifier(UUID.self): .identifier, ObjectIdentifier(Data.self): .data,
  ]

  package var format: ColumnFormat {
    switch self {
    case .integer, .boolean: .integer
    case .double, .float: .real
    case .text: .text
    case .identifier, .data: .blob
    }
  }
}

/// Foundation's string comparisons and searches, for predicates in memory and for functions that engines define.
///
/// Both texts are converted to normal form C first, the form of texts in stores. Otherwise Foundation would find U+304B
/// in U+304B U+3099, but not in the equal text U+304C.
package enum LocalizedComparison {
  /// Whether a string contains another one, ignoring case and diacritics.
  package static func contains(_ text: String, _ other: String) -> Bool {
    StoredText.composed(text).localizedStandardContains(StoredText.composed(other))
  }

  package static func compare(_ text: String, _ other: String, _ comparison: TextComparison) -> ComparisonResult {
    let (text, other) = (StoredText.composed(text), StoredText.composed(other))
    return switch comparison {
    case .caseInsensitive: text.caseInsensitiveCompare(other)
    case .localized: text.localizedCompare(other)
    }
  }

  /// Whether the current locale changes the case of ASCII letters by the default rules. False for Turkish, for example.
  package static var foldsASCII: Bool {
    !["tr", "az", "lt"].contains(Locale.current.language.languageCode?.identifier ?? "")
  }
}

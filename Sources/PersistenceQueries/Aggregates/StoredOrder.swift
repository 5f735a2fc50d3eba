import Foundation
import PersistenceSupport

/// Compares values as a store sorts them: by `<`, except that NaN comes last among floating-point numbers and first
/// among decimals. Strings are compared by the bytes of their stored forms (normal form C).
package enum StoredOrder {
  /// Negative, zero or positive if the first value orders before, equal to or after the second.
  package static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    if let order = compareTexts(left, right) { return order }
    let (leftRank, rightRank) = (rank(of: left), rank(of: right))
    if leftRank != 0 || rightRank != 0 { return leftRank - rightRank }
    return left < right ? -1 : right < left ? 1 : 0
  }

  /// The least or the greatest value: the same as `min()` or `max()`, except that strings are ordered as in a store.
  static func extreme<Values: Sequence>(of values: Values, isGreatest: Bool) -> Values.Element?
  where Values.Element: Comparable {
    var result: Values.Element?
    for value in values {
      guard let known = result else {
        result = value
        continue
      }
      if isGreatest ? precedes(known, value) : precedes(value, known) { result = value }
    }
    return result
  }

  private static func precedes<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    compareTexts(left, right).map { $0 < 0 } ?? (left < right)
  }

  /// The order of two strings; nil for other values.
  static func compareTexts<Value>(_ left: Value, _ right: Value) -> Int? {
    guard Value.self == String.self, let left = left as? String, let right = right as? String else { return nil }
    return StoredText.compare(left, right)
  }

  /// Zero for a number. For NaN, negative if it orders before all numbers, and positive if it orders after them.
  private static func rank<Value>(of value: Value) -> Int {
    switch value {
    case let number as Double: number.isNaN ? 1 : 0
    case let number as Float: number.isNaN ? 1 : 0
    case let number as Decimal: number.isNaN ? -1 : 0
    case let date as Date: date.timeIntervalSinceReferenceDate.isNaN ? 1 : 0
    default: 0
    }
  }
}

import Foundation

/// Compares values as stores do: by `<`, with NaN after all other numbers.
package enum StoredOrder {
  /// Negative, zero or positive, as the first value orders before, with or after the second.
  package static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    if isUnordered(left) || isUnordered(right) { return (isUnordered(left) ? 1 : 0) - (isUnordered(right) ? 1 : 0) }
    return left < right ? -1 : right < left ? 1 : 0
  }

  private static func isUnordered<Value>(_ value: Value) -> Bool {
    switch value {
    case let number as Double: number.isNaN
    case let number as Float: number.isNaN
    case let number as Decimal: number.isNaN
    case let date as Date: date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}

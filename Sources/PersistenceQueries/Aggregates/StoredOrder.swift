import Foundation

/// Compares values as stores do: by `<`, with NaN after all other numbers, and that of decimals before them.
package enum StoredOrder {
  /// Negative, zero or positive, as the first value orders before, with or after the second.
  package static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    let (leftRank, rightRank) = (rank(of: left), rank(of: right))
    if leftRank != 0 || rightRank != 0 { return leftRank - rightRank }
    return left < right ? -1 : right < left ? 1 : 0
  }

  /// Zero for a number; negative or positive for a value that orders before or after all numbers.
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

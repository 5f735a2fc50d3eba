import Foundation

extension _PersistenceRuntime {
  /// A running sum: exact for integers and decimals in any order, with compensated rounding for floating-point numbers.
  public struct SumAccumulator {
    /// The text that represents a decimal sum that no `Decimal` can represent exactly.
    package static let inexactText = "inexact"

    package var integer: Int128 = 0
    var real: Double = 0
    /// The low-order bits that were lost in ``real`` (Neumaier's summation).
    private var remainder: Double = 0
    var decimal: Decimal = 0
    /// Whether a decimal sum was rounded.
    package var isInexact = false

    package init() {}

    package mutating func add(_ value: some FixedWidthInteger) { integer += Int128(value) }

    package mutating func add(_ value: Double) {
      let sum = real + value
      if sum.isFinite {
        remainder += abs(real) >= abs(value) ? (real - sum) + value : (value - sum) + real
      }
      real = sum
    }

    package mutating func add(_ value: Decimal) {
      var (left, right, sum) = (decimal, value, Decimal())
      if NSDecimalAdd(&sum, &left, &right, .plain) != .noError { isInexact = true }
      decimal = sum
    }

    /// The floating-point sum, including the lost low-order bits.
    package var realSum: Double { real.isFinite ? real + remainder : real }

    package func exactDecimal() throws -> Decimal {
      if !isInexact { return decimal }
      throw SwiftDataError(
        .valueNotStorable,
        "the sum has more digits than a Decimal holds; add parts of it, or store the values with fewer digits")
    }

    package func integer<Value: FixedWidthInteger>(as type: Value.Type) throws -> Value {
      if let value = Value(exactly: integer) { return value }
      throw SwiftDataError(
        .valueNotStorable,
        "the sum \(integer) does not fit into \(Value.self); use the average, or an expression of a wider type")
    }
  }
}

import Foundation
import PersistenceSupport

extension _PersistenceRuntime {
  /// A sum that is being made: exact for integers and decimals, whatever the order.
  public struct SumAccumulator {
    /// What stands for a sum of decimals that no `Decimal` holds exactly.
    package static let inexactText = "inexact"

    package var integer: Int128 = 0
    var real: Double = 0
    /// What was lost when numbers of different magnitude were added.
    private var remainder: Double = 0
    var decimal: Decimal = 0
    private var isInexact = false

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

    /// The sum of floating-point numbers, with what was lost on the way.
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

    // MARK: Results of a store

    package mutating func addInteger(_ row: RowReader, _ column: Int32) throws {
      switch row.storageClass(column) {
      case .integer: integer += Int128(row.functions.pointee.integer(row.row, column))
      case .text:
        guard let value = String._$read(row, column).flatMap({ Int128($0) }) else { throw Self.unreadable }
        integer += value
      case .null: break
      case .real, .blob, nil: throw Self.unreadable
      }
    }

    package mutating func addReal(_ row: RowReader, _ column: Int32) {
      if row.storageClass(column) != .null { add(Double._$read(row, column) ?? .nan) }
    }

    package mutating func addDecimal(_ row: RowReader, _ column: Int32) throws {
      guard let text = String._$read(row, column) else { return }
      if text == Self.inexactText {
        isInexact = true
      } else if let value = Decimal._$read(row, column) {
        add(value)
      } else {
        throw Self.unreadable
      }
    }

    private static var unreadable: SwiftDataError {
      SwiftDataError(
        .corruptValue, "the store's sum is no number; a column holds something that its property cannot hold")
    }
  }
}

extension RowReader {
  package func storageClass(_ column: Int32) -> StorageClass? {
    StorageClass(rawValue: functions.pointee.storageClass(row, column))
  }
}

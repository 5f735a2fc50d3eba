import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A type of numbers that a store can sum. Ours.
///
/// Integers, floating-point numbers, `Decimal` and optionals of these types conform. Sums and averages ignore nil
/// values.
public protocol Summable {
  /// The type of sums: the type itself, or the wrapped type of an optional.
  associatedtype Sum: Summable
  /// The type of averages: `Double`, or `Decimal` for decimals.
  associatedtype Average

  /// Adds the number to a sum; returns false for nil. For the library.
  func _$add(to sum: inout _PersistenceRuntime.SumAccumulator) -> Bool
  /// Adds a result column of the store to a sum. For the library.
  static func _$add(
    _ row: _PersistenceRuntime.RowReader, _ column: Int32, to sum: inout _PersistenceRuntime.SumAccumulator) throws
  /// Converts an accumulated sum to the type of sums. For the library.
  static func _$sum(_ sum: _PersistenceRuntime.SumAccumulator) throws -> Sum
  /// The average of `count` numbers with the given sum. For the library.
  static func _$average(_ sum: _PersistenceRuntime.SumAccumulator, of count: Int) throws -> Average
}

extension Summable where Self: FixedWidthInteger {
  /// Only the library calls this function.
  public func _$add(to sum: inout _PersistenceRuntime.SumAccumulator) -> Bool {
    sum.add(self)
    return true
  }

  /// Only the library calls this function.
  ///
  /// - Throws: `SwiftDataError.corruptValue` if the store's sum is not a number.
  public static func _$add(
    _ row: _PersistenceRuntime.RowReader, _ column: Int32, to sum: inout _PersistenceRuntime.SumAccumulator
  ) throws {
    try sum.addInteger(row, column)
  }

  /// Only the library calls this function.
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` if the type cannot represent the sum.
  public static func _$sum(_ sum: _PersistenceRuntime.SumAccumulator) throws -> Self { try sum.integer(as: Self.self) }

  /// Only the library calls this function.
  public static func _$average(_ sum: _PersistenceRuntime.SumAccumulator, of count: Int) -> Double {
    // Divides as integers first, and then only the remainder as a `Double`: a large sum would lose precision.
    let (whole, rest) = sum.integer.quotientAndRemainder(dividingBy: Int128(count))
    return Double(whole) + Double(rest) / Double(count)
  }
}

extension Summable where Self: BinaryFloatingPoint {
  /// Only the library calls this function.
  public func _$add(to sum: inout _PersistenceRuntime.SumAccumulator) -> Bool {
    sum.add(Double(self))
    return true
  }

  /// Only the library calls this function.
  public static func _$add(
    _ row: _PersistenceRuntime.RowReader, _ column: Int32, to sum: inout _PersistenceRuntime.SumAccumulator
  ) { sum.addReal(row, column) }

  /// Only the library calls this function.
  public static func _$sum(_ sum: _PersistenceRuntime.SumAccumulator) -> Self { Self(sum.realSum) }

  /// Only the library calls this function.
  public static func _$average(_ sum: _PersistenceRuntime.SumAccumulator, of count: Int) -> Double {
    sum.realSum / Double(count)
  }
}

extension Int: Summable {
  /// The type of sums.
  public typealias Sum = Int
  /// The type of averages.
  public typealias Average = Double
}

extension Int8: Summable {
  /// The type of sums.
  public typealias Sum = Int8
  /// The type of averages.
  public typealias Average = Double
}

extension Int16: Summable {
  /// The type of sums.
  public typealias Sum = Int16
  /// The type of averages.
  public typealias Average = Double
}

extension Int32: Summable {
  /// The type of sums.
  public typealias Sum = Int32
  /// The type of averages.
  public typealias Average = Double
}

extension Int64: Summable {
  /// The type of sums.
  public typealias Sum = Int64
  /// The type of averages.
  public typealias Average = Double
}

extension UInt: Summable {
  /// The type of sums.
  public typealias Sum = UInt
  /// The type of averages.
  public typealias Average = Double
}

extension UInt8: Summable {
  /// The type of sums.
  public typealias Sum = UInt8
  /// The type of averages.
  public typealias Average = Double
}

extension UInt16: Summable {
  /// The type of sums.
  public typealias Sum = UInt16
  /// The type of averages.
  public typealias Average = Double
}

extension UInt32: Summable {
  /// The type of sums.
  public typealias Sum = UInt32
  /// The type of averages.
  public typealias Average = Double
}

extension UInt64: Summable {
  /// The type of sums.
  public typealias Sum = UInt64
  /// The type of averages.
  public typealias Average = Double
}

extension Double: Summable {
  /// The type of sums.
  public typealias Sum = Double
  /// The type of averages.
  public typealias Average = Double
}

extension Float: Summable {
  /// The type of sums.
  public typealias Sum = Float
  /// The type of averages.
  public typealias Average = Double
}

extension Decimal: Summable {
  /// The type of sums.
  public typealias Sum = Decimal
  /// The type of averages.
  public typealias Average = Decimal

  /// Only the library calls this function.
  public func _$add(to sum: inout _PersistenceRuntime.SumAccumulator) -> Bool {
    sum.add(self)
    return true
  }

  /// Only the library calls this function.
  ///
  /// - Throws: `SwiftDataError.corruptValue` if the store's sum is not a number.
  public static func _$add(
    _ row: _PersistenceRuntime.RowReader, _ column: Int32, to sum: inout _PersistenceRuntime.SumAccumulator
  ) throws {
    try sum.addDecimal(row, column)
  }

  /// Only the library calls this function.
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` if the type cannot represent the sum.
  public static func _$sum(_ sum: _PersistenceRuntime.SumAccumulator) throws -> Decimal { try sum.exactDecimal() }

  /// Only the library calls this function.
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` if the type cannot represent the sum.
  public static func _$average(_ sum: _PersistenceRuntime.SumAccumulator, of count: Int) throws -> Decimal {
    try sum.exactDecimal() / Decimal(count)
  }
}

extension Optional: Summable where Wrapped: Summable {
  /// The type of sums.
  public typealias Sum = Wrapped.Sum
  /// The type of averages.
  public typealias Average = Wrapped.Average

  /// Only the library calls this function.
  public func _$add(to sum: inout _PersistenceRuntime.SumAccumulator) -> Bool { self?._$add(to: &sum) ?? false }

  /// Only the library calls this function.
  ///
  /// - Throws: `SwiftDataError.corruptValue` if the store's sum is not a number.
  public static func _$add(
    _ row: _PersistenceRuntime.RowReader, _ column: Int32, to sum: inout _PersistenceRuntime.SumAccumulator
  ) throws {
    try Wrapped._$add(row, column, to: &sum)
  }

  /// Only the library calls this function.
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` if the type cannot represent the sum.
  public static func _$sum(_ sum: _PersistenceRuntime.SumAccumulator) throws -> Wrapped.Sum { try Wrapped._$sum(sum) }

  /// Only the library calls this function.
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` if the type cannot represent the sum.
  public static func _$average(_ sum: _PersistenceRuntime.SumAccumulator, of count: Int) throws -> Wrapped.Average {
    try Wrapped._$average(sum, of: count)
  }
}

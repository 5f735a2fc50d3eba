import Foundation
import PersistenceSupport

// Floating-point numbers are stored directly, except for NaN, which a store would convert to NULL: it is text; and for
// -0.0, whose sign a store may lose: it is 0 with an original.

extension Double: StorableValue {
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .real }

  @inlinable
  public static var _$placeholder: Double { 0 }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Double? {
    let value = row.functions.pointee.real(row.row, column)
    // Text without a numeric prefix reads as 0, so the storage class is queried for 0 only. Text with a numeric prefix
    // reads as that number: querying the class of every value would double the cost of a read.
    return value == 0 ? readByClass(row, column, value) : value
  }

  @usableFromInline
  static func readByClass(_ row: RowReader, _ column: Int32, _ value: Double) -> Double? {
    switch StorageClass(rawValue: row.functions.pointee.storageClass(row.row, column)) {
    case .real, .integer: return value
    case .text: return String._$read(row, column).flatMap(NotANumber.value)
    case .blob, .null, nil: return nil
    }
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    if isNaN || bitPattern == 0x8000_0000_0000_0000 { return row.bindUnlikelyReal(self, parameter) }
    return row.functions.pointee.real(row.statement, parameter, self)
  }
}

extension Double {
  /// Bitwise: distinguishes the zeros of both signs, and NaN equals itself.
  @inlinable
  public func _$isStored(as other: Double) -> Bool { bitPattern == other.bitPattern }
}

extension Float: StorableValue {
  @inlinable
  public func _$isStored(as other: Float) -> Bool { bitPattern == other.bitPattern }

  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .real }

  @inlinable
  public static var _$placeholder: Float { 0 }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Float? {
    Double._$read(row, column).map { Float($0) }
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    Double(self)._$bind(&row, parameter)
  }
}

extension Date: StorableValue {
  /// Seconds since the reference date, as `Date` stores them: any other epoch would round.
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .real }

  @inlinable
  public static var _$placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Date? {
    let seconds = row.functions.pointee.real(row.row, column)
    // Text that begins with a year, as another program may write dates, reads as that number.
    guard abs(seconds) < 10_000 else { return Date(timeIntervalSinceReferenceDate: seconds) }
    return Double.readByClass(row, column, seconds).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    timeIntervalSinceReferenceDate._$bind(&row, parameter)
  }
}

/// NaN as text: `NaN`, with the bit pattern if it is not the default one.
@usableFromInline
package enum NotANumber {
  @usableFromInline
  package static func text(of value: Double) -> String {
    value.bitPattern == Double.nan.bitPattern ? "NaN" : "NaN:" + String(value.bitPattern, radix: 16)
  }

  package static func value(of text: String) -> Double? {
    if text == "NaN" { return .nan }
    guard text.hasPrefix("NaN:"), let bits = UInt64(text.dropFirst(4), radix: 16) else { return nil }
    let value = Double(bitPattern: bits)
    return value.isNaN ? value : nil
  }
}

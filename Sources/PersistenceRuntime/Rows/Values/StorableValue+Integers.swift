// Integers are stored as 64-bit integers.

import PersistenceSupport

extension StorableValue where Self: FixedWidthInteger {
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .integer }

  @inlinable
  public static var _$placeholder: Self { 0 }

  /// Nil if the stored number overflows the type.
  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Self? {
    let value = row.functions.pointee.integer(row.row, column)
    // Values without an integer prefix read as 0, so the storage class is queried for 0 only. Text and fractions with
    // an integer prefix read as that integer: querying the class of every value would double the cost of a read.
    guard value != 0 || row.hasInteger(column) else { return nil }
    return Self(exactly: value)
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    row.functions.pointee.integer(row.statement, parameter, Int64(truncatingIfNeeded: self))
  }
}

extension RowReader {
  /// Whether a column that reads as 0 contains an integer, and not text, bytes, a fraction below 1 or NULL from another
  /// program.
  @inlinable
  func hasInteger(_ column: Int32) -> Bool {
    functions.pointee.storageClass(row, column) == StorageClass.integer.rawValue
  }
}

extension Int: StorableValue {}
extension Int8: StorableValue {}
extension Int16: StorableValue {}
extension Int32: StorableValue {}
extension Int64: StorableValue {}
extension UInt8: StorableValue {}
extension UInt16: StorableValue {}
extension UInt32: StorableValue {}

extension UInt: StorableValue {
  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> UInt? {
    UInt64._$read(row, column).flatMap(UInt.init(exactly:))
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    UInt64(self)._$bind(&row, parameter)
  }
}

/// Values above `Int64.max` are stored as 8 big-endian bytes: a store orders blobs after all integers, and bytewise
/// among each other.
extension UInt64: StorableValue {
  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> UInt64? {
    let value = row.functions.pointee.integer(row.row, column)
    // A blob reads as 0, so other small numbers, nearly all, need no query of the storage class.
    return value == 0 ? readLarge(row, column) : UInt64(exactly: value)
  }

  @usableFromInline
  static func readLarge(_ row: RowReader, _ column: Int32) -> UInt64? {
    if row.hasInteger(column) { return 0 }
    guard row.functions.pointee.storageClass(row.row, column) == StorageClass.blob.rawValue else { return nil }
    guard let bytes = row.functions.pointee.blob(row.row, column), row.functions.pointee.count(row.row, column) == 8
    else { return nil }
    return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    if let value = Int64(exactly: self) { return row.functions.pointee.integer(row.statement, parameter, value) }
    return withUnsafeBytes(of: bigEndian) { row.bindBytes($0, parameter) }
  }
}

extension Bool: StorableValue {
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .integer }

  @inlinable
  public static var _$placeholder: Bool { false }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Bool? {
    Int64._$read(row, column).map { $0 != 0 }
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    row.functions.pointee.integer(row.statement, parameter, self ? 1 : 0)
  }
}

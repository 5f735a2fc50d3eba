import Foundation
import PersistenceSupport

extension Data: StorableValue {
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .blob }

  @inlinable
  public static var _$placeholder: Data { Data() }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Data? {
    // No bytes may have no address, as NULL has none.
    guard let bytes = row.functions.pointee.blob(row.row, column) else { return row.isNull(column) ? nil : Data() }
    return Data(bytes: bytes, count: Int(row.functions.pointee.count(row.row, column)))
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    withUnsafeBytes { row.bindBytes($0, parameter) }
  }
}

extension UUID: StorableValue {
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .blob }

  @inlinable
  public static var _$placeholder: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> UUID? {
    guard let bytes = row.functions.pointee.blob(row.row, column), row.functions.pointee.count(row.row, column) == 16
    else { return nil }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    withUnsafeBytes(of: uuid) { row.bindBytes($0, parameter) }
  }
}

import Foundation
import PersistenceSupport

extension String: StorableValue {
  /// Compares code units: canonically equivalent strings are equal in Swift, but stored differently.
  @inlinable
  public func _$isStored(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .text }

  @inlinable
  public static var _$placeholder: String { "" }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> String? {
    guard let text = row.functions.pointee.text(row.row, column) else { return nil }
    let count = Int(row.functions.pointee.count(row.row, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    row.bindString(self, parameter)
  }
}

/// An absolute URL is stored as its text. A relative one is followed by a space, which no URL contains, and its base.
extension URL: StorableValue {
  public static var _$format: _PersistenceRuntime.ColumnFormat { .url }

  public static var _$placeholder: URL { URL(filePath: "/") }

  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> URL? {
    guard let text = String._$read(row, column) else { return nil }
    guard let space = text.firstIndex(of: " ") else { return URL(string: text) }
    guard let base = URL(string: String(text[text.index(after: space)...])) else { return nil }
    return URL(string: String(text[..<space]), relativeTo: base)
  }

  package var storedText: String {
    guard let baseURL else { return relativeString }
    return relativeString + " " + baseURL.absoluteString
  }

  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    row.bindText(storedText, parameter)
  }
}

/// Decimals are stored as their canonical digits: equal numbers have equal texts, and the store orders them by value.
extension Decimal: StorableValue {
  public static var _$format: _PersistenceRuntime.ColumnFormat { .decimal }

  public static var _$placeholder: Decimal { 0 }

  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Decimal? {
    guard let text = row.functions.pointee.text(row.row, column) else { return nil }
    let count = Int(row.functions.pointee.count(row.row, column))
    // The row lends the text until it is left.
    return StoredDecimal.value(of: UnsafeBufferPointer(start: text, count: count))
  }

  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    row.bindText(StoredDecimal.digits(of: self), parameter)
  }
}

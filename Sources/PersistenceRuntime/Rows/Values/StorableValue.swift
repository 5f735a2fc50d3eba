import Foundation
import PersistenceSupport

extension _PersistenceRuntime {
  /// A type whose values are stored directly in one column.
  ///
  /// The value types of the standard library and Foundation conform. Other types are stored as raw values or JSON.
  public protocol StorableValue: Equatable {
    /// The column format.
    static var _$format: ColumnFormat { get }
    /// The placeholder for a missing value.
    static var _$placeholder: Self { get }
    /// Reads a column. Returns nil if the column contains no value of this type.
    static func _$read(_ row: RowReader, _ column: Int32) -> Self?
    /// Reads a column as the raw value of `type`. For an enum, the store has only the normalised text (``StoredText``).
    static func _$readRaw(_ row: RowReader, _ column: Int32, of type: any Any.Type) -> Self?
    /// Whether another value has the same stored representation, which is stricter than equality.
    func _$isStored(as other: Self) -> Bool
    /// Binds the value to a parameter, and returns the engine's result code.
    func _$bind(_ row: inout RowWriter, _ parameter: Int32) -> Int32
  }
}

extension StorableValue {
  @inlinable
  public static func _$readRaw(
    _ row: _PersistenceRuntime.RowReader, _ column: Int32, of type: any Any.Type
  ) -> Self? {
    _$read(row, column)
  }

  @inlinable
  public func _$isStored(as other: Self) -> Bool { self == other }
}

extension _PersistenceRuntime {
  /// The storage classes of column values.
  ///
  /// The raw values are the codes of ``ColumnReadFunctions/storageClass``.
  public enum StorageClass: Int32, Sendable, Hashable, Codable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
  }

  /// The representation of values in a column. Engines declare columns and compare their values by it.
  public enum ColumnFormat: String, Sendable, Hashable, Codable {
    /// A 64-bit integer; `UInt64` values above `Int64.max` are blobs of 8 big-endian bytes.
    case integer
    /// A 64-bit floating-point number; NaN is text.
    case real
    /// Unicode text in the form of ``StoredText``, whose bytes compare the same as the texts in Swift.
    case text
    /// The text of a URL, stored and compared byte for byte.
    case url
    /// The canonical digits of a decimal number as text: equal by bytes, ordered by value.
    case decimal
    /// Bytes.
    case blob
    /// JSON text of a Codable value, stored byte for byte.
    case json
    /// The primary key of a row of another entity.
    case reference
  }
}

// Integers are stored as 64-bit integers.

extension StorableValue where Self: FixedWidthInteger {
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .integer }

  @inlinable
  public static var _$placeholder: Self { 0 }

  /// Returns nil if the stored number overflows the type.
  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Self? {
    let value = row.functions.pointee.integer(row.row, column)
    // Values without an integer prefix read as 0, so the storage class is queried only for 0. Text and fractions with
    // an integer prefix are accepted as this integer: querying the class of every value would double a read's time.
    guard value != 0 || row.hasInteger(column) else { return nil }
    return Self(exactly: value)
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    row.functions.pointee.integer(row.statement, parameter, Int64(truncatingIfNeeded: self))
  }
}

extension RowReader {
  /// Whether a column that reads as 0 contains an integer. Another program may have written text, bytes, a fraction
  /// below 1 or NULL.
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

/// Values above `Int64.max` are stored as 8 big-endian bytes: stores order blobs bytewise, after all integers.
extension UInt64: StorableValue {
  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> UInt64? {
    let value = row.functions.pointee.integer(row.row, column)
    // A blob reads as 0, so only the value 0 needs a query of the storage class. Nearly all numbers are not 0.
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

// Floating-point numbers are stored directly, with two exceptions. NaN is stored as text, because a store would convert
// it to NULL. -0.0 is stored as 0, and its sign separately (``OriginalNotes``), because a column may lose the sign.

extension Double: StorableValue {
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .real }

  @inlinable
  public static var _$placeholder: Double { 0 }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Double? {
    let value = row.functions.pointee.real(row.row, column)
    // Text without a numeric prefix reads as 0, so the storage class is queried only for 0. Text with a numeric prefix
    // is accepted as this number: querying the class of every value would double the time of a read.
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
  /// Compares bitwise: the zeros of both signs differ, and NaN equals itself.
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
  /// Stored as seconds since the reference date, the representation of `Date`: conversion to another epoch would round.
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .real }

  @inlinable
  public static var _$placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Date? {
    let seconds = row.functions.pointee.real(row.row, column)
    // Another program may have written a date as text. It reads as its year, so small numbers are checked.
    guard abs(seconds) < 10_000 else { return Date(timeIntervalSinceReferenceDate: seconds) }
    return Double.readByClass(row, column, seconds).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    timeIntervalSinceReferenceDate._$bind(&row, parameter)
  }
}

/// NaN as text: `NaN`, with the bit pattern if it is not the default pattern.
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

  /// For an enum, reverts the stored form's escapes, but not its normalisation: the exact text is not stored.
  public static func _$readRaw(
    _ row: _PersistenceRuntime.RowReader, _ column: Int32, of type: any Any.Type
  ) -> String? {
    guard let stored = _$read(row, column) else { return nil }
    return stored.utf8.contains(1) && MetadataKind.isEnum(type) ? StoredText.original(ofForm: stored) : stored
  }

  @inlinable
  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    row.bindString(self, parameter)
  }
}

/// An absolute URL is stored as its text. A relative URL is stored as text, a space (invalid in URLs) and its base.
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
    // The text is valid until the row's next step, so it is not copied.
    return StoredDecimal.value(of: UnsafeBufferPointer(start: text, count: count))
  }

  public func _$bind(_ row: inout _PersistenceRuntime.RowWriter, _ parameter: Int32) -> Int32 {
    row.bindText(StoredDecimal.digits(of: self), parameter)
  }
}

extension Data: StorableValue {
  @inlinable
  public static var _$format: _PersistenceRuntime.ColumnFormat { .blob }

  @inlinable
  public static var _$placeholder: Data { Data() }

  @inlinable
  public static func _$read(_ row: _PersistenceRuntime.RowReader, _ column: Int32) -> Data? {
    // The address of empty data may be null, as for NULL.
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

/// Caches the value transformers of one fetch or save, by property name.
package final class TransformerCache {
  private var transformers: [String: ValueTransformer] = [:]

  package init() {}

  func data<T>(of value: T, property: PropertyLayout) throws -> Data? {
    guard let present = Self.unwrapped(value) else { return nil }
    guard let result = try transformer(of: property).transformedValue(present) else { return nil }
    guard let data = result as? Data else {
      throw SwiftDataError(
        .valueNotStorable, "the value transformer of \(property.name) makes \(type(of: result)) where Data is needed")
    }
    return data
  }

  /// - Throws: `SwiftDataError.corruptValue` if the transformer rejects the bytes or returns a value of another type.
  package func value<T>(of data: Data?, property: PropertyLayout, as type: T.Type) throws -> T {
    let value = try data.flatMap { try transformer(of: property).reverseTransformedValue($0) }
    // NULL becomes nil. Rejected bytes must not become nil, since the next save would then lose the value silently.
    let isLost = value == nil && data?.isEmpty == false
    if !isLost, let value = value as? T { return value }
    throw SwiftDataError(
      .corruptValue,
      "the value transformer of \(property.name) makes \(value.map { "\(Swift.type(of: $0))" } ?? "nil") of the stored "
        + "bytes where \(T.self) is needed")
  }

  private func transformer(of property: PropertyLayout) throws -> ValueTransformer {
    if let known = transformers[property.name] { return known }
    guard let found = property.attribute?.transformer else {
      throw SwiftDataError(.invalidSchema, "the value transformer of \(property.name) is not registered")
    }
    transformers[property.name] = found
    return found
  }

  private static func unwrapped<T>(_ value: T) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue
  }
}

/// Caches how to store types that only the last overload (``_$Rank6``) accepts, during one fetch or save.
///
/// Finding a form queries the runtime for conformances, which takes longer than reading most values. Few models have
/// such a property, so the search is linear. Only its session uses it.
struct LastForms {
  private var known: ContiguousArray<(type: ObjectIdentifier, form: (any MemberForm.Type)?)> = []

  /// The number of cached types.
  var count: Int { known.count }

  /// The form of a type; nil if it cannot be stored.
  mutating func form<Value>(of type: Value.Type) -> (any MemberForm.Type)? {
    let identifier = ObjectIdentifier(type)
    for index in known.indices where known[index].type == identifier { return known[index].form }
    let form = MemberForms.lastForm(of: type)
    known.append((identifier, form))
    return form
  }
}

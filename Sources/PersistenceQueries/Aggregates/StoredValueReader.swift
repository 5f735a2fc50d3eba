import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Reads values of a type from result columns, without creating objects.
package struct StoredValueReader<Value> {
  /// Returns nil if the column contains no value of the type.
  private let readValue: (RowReader, Int32) -> Value?

  /// - Parameter destination: If the values are identifiers, the entity whose keys the column contains.
  /// - Returns: Nil for a type that no column stores.
  init?(_ type: Value.Type = Value.self, destination: StoreEntity? = nil) {
    guard let read = Self.reader(destination) else { return nil }
    readValue = read
  }

  /// Creates a reader of sort keys: the values themselves, or ranks (positions of an enum's cases in `<` order).
  package init?(comparedBy form: SortTerm.Form, wrapping wrapped: any Any.Type) {
    guard case .ranked = form else {
      guard let read = Self.reader(nil) else { return nil }
      readValue = read
      return
    }
    func read<Wrapped>(_ type: Wrapped.Type) -> (RowReader, Int32) -> Value? {
      { row, column in
        guard row.storageClass(column) != .null else {
          return (Value.self as? any OptionalValue.Type)?.missing as? Value
        }
        return ValueRanks.value(ofRank: Int(row.functions.pointee.integer(row.row, column)), as: type) as? Value
      }
    }
    readValue = _openExistential(wrapped, do: read)
  }

  /// - Throws: `SwiftDataError.corruptValue`. The result of an aggregate does not name the row with the value, so the
  ///   caller searches for that row.
  package func read(_ row: RowReader, _ column: Int32) throws -> Value {
    if let value = readValue(row, column) { return value }
    throw SwiftDataError(.corruptValue, "\(row.described(column)) is no \(Value.self); change the row by hand")
  }

  private static func reader(_ destination: StoreEntity?) -> ((RowReader, Int32) -> Value?)? {
    if let optional = Value.self as? any OptionalValue.Type { return optionalReader(optional, destination) }
    return StoredValueReading.reader(of: Value.self, destination).map { read in
      { row, column in read(row, column) as? Value }
    }
  }

  private static func optionalReader<Wrapper: OptionalValue>(
    _ type: Wrapper.Type, _ destination: StoreEntity?
  ) -> ((RowReader, Int32) -> Value?)? {
    guard let read = StoredValueReading.reader(of: type.wrappedType, destination), let missing = type.missing as? Value
    else { return nil }
    return { row, column in
      row.storageClass(column) == .null ? missing : read(row, column).flatMap { $0 as? Value }
    }
  }
}

/// Finds the function that reads values of a type that is known only at run time.
package enum StoredValueReading {
  package typealias Read = (RowReader, Int32) -> Any?

  /// - Parameter destination: If the values are identifiers, the entity whose keys the column contains.
  /// - Returns: Nil for a type that no column stores.
  package static func reader(of type: any Any.Type, _ destination: StoreEntity?) -> Read? {
    if type == PersistentIdentifier.self { return destination.map(identifier) }
    if let storable = type as? any StorableValue.Type { return reader(of: storable) }
    guard ActorConformance.isUsable(type) else { return nil }
    if let raw = RawStorage.type(of: type), let read = reader(ofRaw: raw) { return read }
    return (type as? any Codable.Type).map { json($0) }
  }

  private static func identifier(of entity: StoreEntity) -> Read {
    { row, column in
      row.storageClass(column) == .null
        ? nil : PersistentIdentifier(claimed: row.functions.pointee.integer(row.row, column), of: entity)
    }
  }

  /// A text that the store calculates is in the stored form: normalised, with U+0000 and U+0001 escaped. Only the
  /// escapes can be reverted, because there is no column with the exact original text.
  private static func reader<Value: StorableValue>(of type: Value.Type) -> Read {
    if type == String.self {
      return { row, column in String._$read(row, column).map(StoredText.original) }
    }
    return { row, column in row.storageClass(column) == .null ? nil : Value._$read(row, column) }
  }

  private static func reader<Value: RawRepresentable>(ofRaw type: Value.Type) -> Read? {
    guard let storable = Value.RawValue.self as? any StorableValue.Type else { return nil }
    let read = reader(of: storable)
    return { row, column in
      (read(row, column) as? Value.RawValue).flatMap { Value(rawValue: $0) }
    }
  }

  private static func json<Value: Codable>(_ type: Value.Type) -> Read {
    { row, column in String._$read(row, column).flatMap { try? JSONText.decode(Value.self, from: $0) } }
  }
}

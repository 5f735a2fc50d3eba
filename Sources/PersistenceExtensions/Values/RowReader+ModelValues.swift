// Values are decoded from rows in the same way as models, except that relationships become identifiers.

import PersistenceRuntime
import PersistenceSupport

extension RowReader {
  /// Decodes a value from every row. For generated code.
  ///
  /// - Throws: The error of a read, or of a value that cannot be decoded.
  @inlinable
  public mutating func decodeValues<Value>(_ make: (inout _PersistenceRuntime.RowReader) -> Value) throws -> [Value] {
    var values: [Value] = []
    while try next() {
      column = 1
      values.append(make(&self))
      if unsafe hasFailed.pointee { try unsafe session.throwFailure() }
    }
    return values
  }

  /// The floating-point number in a column; nil for NULL.
  func real(at column: Int32) -> Double? {
    unsafe isNull(column) ? nil : functions.pointee.real(row, column)
  }

  /// The identifier of the row.
  public var identifier: PersistentIdentifier {
    unsafe PersistentIdentifier(row: key, of: session.storeEntity)
  }

  /// The value of a property. For generated code.
  public mutating func constant(_ position: Int) -> PersistentIdentifier {
    guard let relationship = unsafe session.entity.relationship(at: position) else { return storedIdentifier(position) }
    let start = column
    if let identifier = reference(relationship, position) { return identifier }
    if includes(position), column > start { reportMissing(position, start) }
    return .placeholder
  }

  /// The value of a property. For generated code.
  public mutating func constant(_ position: Int) -> PersistentIdentifier? {
    guard let relationship = unsafe session.entity.relationship(at: position) else { return storedValue(position) }
    return reference(relationship, position)
  }

  /// The value of a property. For generated code.
  public mutating func constant(_ position: Int) -> [PersistentIdentifier] {
    guard unsafe session.entity.relationship(at: position) == nil else { return [] }
    return storedValue(position) ?? []
  }

  /// The value of a property. For generated code.
  public mutating func constant(_ position: Int) -> [PersistentIdentifier]? {
    guard unsafe session.entity.relationship(at: position) == nil else { return nil }
    return storedValue(position)
  }

  /// The identifier in the foreign key column of a relationship; nil if there is no column, or if it is NULL.
  private mutating func reference(_ relationship: RelationshipLayout, _ position: Int) -> PersistentIdentifier? {
    guard includes(position), !(unsafe session.entity.properties[position].columns.isEmpty) else { return nil }
    let column = advance()
    guard !isNull(column), let entity = unsafe session.storeEntity(of: relationship.destinationType) else { return nil }
    let key = unsafe functions.pointee.integer(row, column)
    // No row has the key 0. A store returns 0 if the column contains a text that is not a number: an invalid value.
    if key == 0 { reportMissing(position, column) }
    return PersistentIdentifier(claimed: key, of: entity)
  }

  // These two functions read an attribute whose type is `PersistentIdentifier`, which is stored like any Codable type.

  private mutating func storedIdentifier(_ position: Int) -> PersistentIdentifier {
    if case .value(let value) = codable(position) as Slot<PersistentIdentifier> { return value }
    return .placeholder
  }

  private mutating func storedValue<T: Codable>(_ position: Int) -> T? {
    if case .value(let value) = codable(position) as Slot<T?> { return value }
    return nil
  }
}

extension PersistentIdentifier {
  /// The placeholder for the identifier of a related model, until the relationship is filled in or an error is thrown.
  static let placeholder = PersistentIdentifier(.custom(StoreEntity(store: "", name: ""), ""))
}

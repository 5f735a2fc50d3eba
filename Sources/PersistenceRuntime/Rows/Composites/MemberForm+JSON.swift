/// The form of a member stored as JSON text: an array, a dictionary, an enum with payloads, another Codable value. A
/// nil optional is NULL.
enum JSONForm<Member: Codable>: TypedMemberForm {
  static var format: ColumnFormat { .json }
  static var isOptional: Bool { Member.self is any OptionalValue.Type }

  static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    guard let value: Member = row.decoded(location.column, location.position) else { return false }
    memory.initializeMemory(as: Member.self, to: value)
    return true
  }

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    let value = memory.assumingMemoryBound(to: Member.self).pointee
    if isOptional, (value as? any OptionalValue)?.wrappedValue == nil {
      return row.check(row.functions.pointee.null(row.statement, location.column), location.position)
    }
    row.bindJSON(value, location.column, location.position)
  }

  /// Values that are not Equatable count as different: an observer may be notified once too often, but never misses a
  /// change.
  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    func isEqual<Value: Equatable>(_ value: Value) -> Bool {
      value == (other.assumingMemoryBound(to: Member.self).pointee as? Value)
    }
    guard let value = memory.assumingMemoryBound(to: Member.self).pointee as? any Equatable else { return false }
    return isEqual(value)
  }
}

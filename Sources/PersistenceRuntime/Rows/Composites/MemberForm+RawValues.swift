/// The form of a member stored as its raw value. Conforms to `MemberForm` only if a column stores the raw value
/// directly, which a cast of the metatype tests.
enum RawForm<Member: RawRepresentable> {}

extension RawForm: MemberForm, TypedMemberForm where Member.RawValue: StorableValue {
  static var format: ColumnFormat { Member.RawValue._$format }
  static var isOptional: Bool { false }

  static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    let isMissing = location.isNullable && row.isNull(location.column)
    guard let value: Member = isMissing ? nil : member(row, location) else {
      row.reportNoRawValue(location.position, location.column, Member.self)
      return false
    }
    memory.initializeMemory(as: Member.self, to: value)
    return true
  }

  static func member(_ row: RowReader, _ location: MemberLocation) -> Member? {
    Member.RawValue._$read(row, location.column).flatMap { Member(rawValue: $0) ?? Member._$value(ofEscaped: $0) }
  }

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    let value = memory.assumingMemoryBound(to: Member.self).pointee
    row.check(value.rawValue._$bind(&row, location.column), location.position)
  }

  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    memory.assumingMemoryBound(to: Member.self).pointee.rawValue
      ._$isStored(as: other.assumingMemoryBound(to: Member.self).pointee.rawValue)
  }
}

/// The form of an optional member stored as its raw value, or NULL.
enum OptionalRawForm<Wrapped: RawRepresentable> {}

extension OptionalRawForm: MemberForm, TypedMemberForm where Wrapped.RawValue: StorableValue {
  typealias Member = Wrapped?

  static var format: ColumnFormat { Wrapped.RawValue._$format }
  static var isOptional: Bool { true }

  static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    guard !row.isNull(location.column) else {
      memory.initializeMemory(as: Member.self, to: nil)
      return true
    }
    guard let value = RawForm<Wrapped>.member(row, location) else {
      row.reportNoRawValue(location.position, location.column, Wrapped.self)
      return false
    }
    memory.initializeMemory(as: Member.self, to: value)
    return true
  }

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    let value = memory.assumingMemoryBound(to: Member.self).pointee
    let code =
      value?.rawValue._$bind(&row, location.column) ?? row.functions.pointee.null(row.statement, location.column)
    row.check(code, location.position)
  }

  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    let value = memory.assumingMemoryBound(to: Member.self).pointee
    let other = other.assumingMemoryBound(to: Member.self).pointee
    guard let value, let other else { return value == nil && other == nil }
    return value.rawValue._$isStored(as: other.rawValue)
  }
}

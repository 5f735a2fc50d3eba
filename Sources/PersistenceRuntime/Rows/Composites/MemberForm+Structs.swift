/// The form of a member or property that is a composite.
package enum StructForm<Member>: TypedMemberForm {
  package static var format: ColumnFormat { .json }
  package static var isOptional: Bool { false }

  package static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    location.inner?.read(row, location, into: memory) ?? false
  }

  package static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    location.inner?.write(memory, to: &row, location)
  }

  package static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    inner?.isStored(memory, as: other) ?? false
  }

  package static func appendEquality(
    to memory: UnsafeRawPointer, of column: CompositeColumn, _ inner: StructLayout?,
    into translation: inout some MemberEquality
  ) throws(UntranslatableExpression) {
    try inner?.appendEquality(to: memory, of: column, into: &translation)
  }
}

/// The form of a member or property that is an optional composite.
///
/// It is nil if its ``StructLayout/presence`` column is NULL; all its columns are NULL then.
enum OptionalStructForm<Wrapped>: TypedMemberForm {
  typealias Member = Wrapped?

  static var format: ColumnFormat { .json }
  static var isOptional: Bool { true }

  static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    guard let inner = location.inner, let scratch = location.scratch else { return false }
    guard !row.isNull(location.column &+ inner.presence) else {
      memory.initializeMemory(as: Member.self, to: nil)
      return true
    }
    // The payload is created beside the optional, because only the compiler knows how to set the optional's tag.
    let payload = scratch.alignedUp(for: Wrapped.self)
    let location = MemberLocation(
      column: location.column &+ inner.leadingColumns, position: location.position, isNullable: true,
      scratch: payload + MemoryLayout<Wrapped>.size, inner: inner)
    guard inner.read(row, location, into: payload) else { return false }
    memory.initializeMemory(as: Member.self, to: payload.assumingMemoryBound(to: Wrapped.self).move())
    return true
  }

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    guard let inner = location.inner else { return }
    guard let value = memory.assumingMemoryBound(to: Member.self).pointee else {
      for column in location.column..<location.column + Int32(inner.leadingColumns) + inner.columnCount {
        row.check(row.functions.pointee.null(row.statement, column), location.position)
      }
      return
    }
    if inner.leadingColumns != 0 {
      row.check(row.functions.pointee.integer(row.statement, location.column, 1), location.position)
    }
    let location = MemberLocation(
      column: location.column &+ inner.leadingColumns, position: location.position, isNullable: true, scratch: nil,
      inner: inner)
    withUnsafePointer(to: value) { inner.write(UnsafeRawPointer($0), to: &row, location) }
  }

  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    let value = memory.assumingMemoryBound(to: Member.self).pointee
    let other = other.assumingMemoryBound(to: Member.self).pointee
    guard let value, let other else { return value == nil && other == nil }
    return withUnsafePointer(to: value) { value in
      withUnsafePointer(to: other) { inner?.isStored(UnsafeRawPointer(value), as: UnsafeRawPointer($0)) ?? false }
    }
  }

  static func appendEquality(
    to memory: UnsafeRawPointer, of column: CompositeColumn, _ inner: StructLayout?,
    into translation: inout some MemberEquality
  ) throws(UntranslatableExpression) {
    guard let inner else { return }
    let presence = column.offset(by: Int(inner.presence)).node
    guard let value = memory.assumingMemoryBound(to: Member.self).pointee else {
      return translation.appendNilTest(of: presence, .equal)
    }
    let members = column.offset(by: Int(inner.leadingColumns))
    try withUnsafePointer(to: value) { pointer throws(UntranslatableExpression) in
      try inner.appendEquality(to: UnsafeRawPointer(pointer), of: members, into: &translation)
    }
    // An equal non-optional member implies that the composite is present.
    guard inner.leadingColumns != 0 else { return }
    translation.appendNilTest(of: presence, .notEqual)
    translation.append(.and)
  }
}

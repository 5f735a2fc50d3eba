import Foundation
import PersistenceSupport

/// Transfers one member of a composite value between memory and columns.
///
/// All requirements are static: a member stores its form as a metatype, which is copied without reference counting.
/// `memory` is the address of the member. The caller guarantees that the member has the form's type.
package protocol MemberForm {
  /// The format of the member's only column; unused for a composite.
  static var format: ColumnFormat { get }
  static var isOptional: Bool { get }

  /// Initialises memory from a row. On a failure, reports the error, returns false and initialises nothing.
  static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation)

  /// Whether two values have the same stored representation.
  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool

  static func deinitialize(_ memory: UnsafeMutableRawPointer)

  /// Appends a comparison of the member's column with the value in memory.
  static func appendEquality(
    to memory: UnsafeRawPointer, of column: CompositeColumn, _ inner: StructLayout?,
    into translation: inout some MemberEquality
  ) throws(UntranslatableExpression)
}

/// The location of a member in a row.
package struct MemberLocation {
  /// The first column or parameter of the member.
  let column: Int32
  /// The position of the property, for error messages.
  let position: Int
  /// Whether the column may be NULL because an enclosing composite may be nil.
  let isNullable: Bool
  /// Scratch memory for intermediate values; null if none is needed.
  let scratch: UnsafeMutableRawPointer?
  /// The layout of a composite member. Unowned, because reference counting would take longer than reading a number. The
  /// entity's layout owns it, and the row's session retains the entity's layout.
  unowned(unsafe) let inner: StructLayout?
}

/// A column of a property.
package struct CompositeColumn {
  /// The index of the row in the query: 0 for the queried entity's row, otherwise that of a ``QueryRow``.
  package var row: Int32 = 0
  package let property: Int
  package let column: Int

  package init(row: Int32 = 0, property: Int, column: Int) {
    self.row = row
    self.property = property
    self.column = column
  }

  package func offset(by count: Int) -> CompositeColumn {
    CompositeColumn(row: row, property: property, column: column + count)
  }

  var node: QueryNode { .value(of: row, .column(property: Int32(property), column: Int32(column))) }
}

/// A form whose member type is an associated type.
protocol TypedMemberForm: MemberForm {
  associatedtype Member
}

extension TypedMemberForm {
  package static func deinitialize(_ memory: UnsafeMutableRawPointer) {
    memory.assumingMemoryBound(to: Member.self).deinitialize(count: 1)
  }

  static func appendEquality(
    to memory: UnsafeRawPointer, of column: CompositeColumn, _ inner: StructLayout?,
    into translation: inout some MemberEquality
  ) throws(UntranslatableExpression) {
    translation.append(column.node)
    try translation.appendComparable(memory.assumingMemoryBound(to: Member.self).pointee)
    translation.append(.equal)
  }
}

/// The form of a member that one column stores directly.
protocol ValueMemberForm: TypedMemberForm where Member: StorableValue {}

extension ValueMemberForm {
  static var format: ColumnFormat { Member._$format }
  static var isOptional: Bool { false }

  static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    let isMissing = location.isNullable && row.isNull(location.column)
    guard !isMissing, let value = Member._$read(row, location.column) else {
      row.reportUnreadable(location.position, location.column, Member.self)
      return false
    }
    memory.initializeMemory(as: Member.self, to: value)
    return true
  }

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    let code = memory.assumingMemoryBound(to: Member.self).pointee._$bind(&row, location.column)
    row.check(code, location.position)
  }

  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    memory.assumingMemoryBound(to: Member.self).pointee
      ._$isStored(as: other.assumingMemoryBound(to: Member.self).pointee)
  }
}

/// The generic form of a member that one column stores directly.
enum ValueForm<Member: StorableValue>: ValueMemberForm {}

// Specialised forms of the most frequent types: code for a known type is several times as fast.
enum DoubleForm: ValueMemberForm { typealias Member = Double }
enum IntegerForm: ValueMemberForm { typealias Member = Int }
enum TextForm: ValueMemberForm { typealias Member = String }
enum TruthForm: ValueMemberForm { typealias Member = Bool }
enum DateForm: ValueMemberForm { typealias Member = Date }
enum UUIDForm: ValueMemberForm { typealias Member = UUID }

/// The form of an optional member whose column contains the value itself, or NULL.
enum OptionalValueForm<Wrapped: StorableValue>: TypedMemberForm {
  package typealias Member = Wrapped?

  static var format: ColumnFormat { Wrapped._$format }
  static var isOptional: Bool { true }

  static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    guard !row.isNull(location.column) else {
      memory.initializeMemory(as: Member.self, to: nil)
      return true
    }
    guard let value = Wrapped._$read(row, location.column) else {
      row.reportUnreadable(location.position, location.column, Wrapped.self)
      return false
    }
    memory.initializeMemory(as: Member.self, to: value)
    return true
  }

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    let value = memory.assumingMemoryBound(to: Member.self).pointee
    let code = value?._$bind(&row, location.column) ?? row.functions.pointee.null(row.statement, location.column)
    row.check(code, location.position)
  }

  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    let value = memory.assumingMemoryBound(to: Member.self).pointee
    let other = other.assumingMemoryBound(to: Member.self).pointee
    guard let value, let other else { return value == nil && other == nil }
    return value._$isStored(as: other)
  }
}

/// The form of a member stored as its raw value. Conforms to `MemberForm` only if a column can store the raw value
/// directly; ``MemberForms`` tests this by casting the metatype.
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
    Member.RawValue._$readRaw(row, location.column, of: Member.self).flatMap(Member.init(rawValue:))
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

/// The form of an optional member whose column contains the raw value, or NULL.
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
/// The value is nil if its ``StructLayout/presence`` column is NULL. In this case all its columns are NULL.
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
    // The payload is created in scratch memory, because only the compiler can set the optional's tag.
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
    // If a required member equals its value, the composite is not nil, so no further test is necessary.
    guard inner.leadingColumns != 0 else { return }
    translation.appendNilTest(of: presence, .notEqual)
    translation.append(.and)
  }
}

/// The form of a member stored as JSON text: an array, a dictionary, an enum with payloads, or another Codable value. A
/// nil optional is stored as NULL.
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

  /// Values that are not Equatable count as different: observers may be notified needlessly, but miss no change.
  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    func isEqual<Value: Equatable>(_ value: Value) -> Bool {
      value == (other.assumingMemoryBound(to: Member.self).pointee as? Value)
    }
    guard let value = memory.assumingMemoryBound(to: Member.self).pointee as? any Equatable else { return false }
    return isEqual(value)
  }
}

/// Wraps the form of a type whose conformance is isolated to a global actor. On other actors it records a failure.
enum ActorForm<Base: TypedMemberForm, Bound>: TypedMemberForm {
  package typealias Member = Base.Member

  static var format: ColumnFormat { Base.format }
  static var isOptional: Bool { Base.isOptional }

  static func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    let isNull = isOptional && row.isNull(location.column)
    guard isNull || ActorConformance.isUsable(Bound.self) else {
      row.session.failure.recordElsewhere(Bound.self, property: location.position, key: row.key)
      return false
    }
    return Base.read(row, location, into: memory)
  }

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    let value = memory.assumingMemoryBound(to: Member.self).pointee
    let isNil = isOptional && (value as? any OptionalValue).map { $0.wrappedValue == nil } ?? false
    guard isNil || ActorConformance.isUsable(Bound.self) else {
      return row.session.failure.recordElsewhere(Bound.self, property: location.position, key: nil)
    }
    Base.write(memory, to: &row, location)
  }

  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool {
    ActorConformance.isUsable(Bound.self) && Base.isStored(memory, as: other, inner)
  }
}

extension TypedMemberForm {
  /// The form itself or, if a conformance of the type is isolated, a form that checks the current isolation.
  static func bound<Bound>(to type: Bound.Type, _ isBound: Bool) -> any MemberForm.Type {
    isBound ? ActorForm<Self, Bound>.self : Self.self
  }
}

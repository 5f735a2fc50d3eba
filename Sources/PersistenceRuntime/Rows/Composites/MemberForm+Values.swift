import Foundation

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

/// The generic form of such a member.
enum ValueForm<Member: StorableValue>: ValueMemberForm {}

// Specialised forms of the most frequent types: code that knows its type is several times as fast.
enum DoubleForm: ValueMemberForm { typealias Member = Double }
enum IntegerForm: ValueMemberForm { typealias Member = Int }
enum TextForm: ValueMemberForm { typealias Member = String }
enum TruthForm: ValueMemberForm { typealias Member = Bool }
enum DateForm: ValueMemberForm { typealias Member = Date }
enum UUIDForm: ValueMemberForm { typealias Member = UUID }

/// The form of an optional member that one column stores directly, or NULL.
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

/// A form that uses a conformance isolated to a global actor, and is usable in that isolation only.
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
  /// The form itself, or one that checks the current isolation if a conformance of the type is isolated.
  static func bound<Bound>(to type: Bound.Type, _ isBound: Bool) -> any MemberForm.Type {
    isBound ? ActorForm<Self, Bound>.self : Self.self
  }
}

import Foundation
import PersistenceSupport

/// The columns of a struct's stored fields, computed once for each property of an entity.
///
/// Unchecked: key paths and metatypes are not Sendable as types; this class is immutable after initialisation.
package final class StructLayout: @unchecked Sendable {
  /// One stored field of the struct.
  struct Field {
    let name: String
    let offset: Int
    let type: any Any.Type
    let keyPath: AnyKeyPath
    let form: any MemberForm.Type
    /// The layout of a composite field, optional or not.
    let inner: StructLayout?
    /// The first column of the field, relative to the struct's first column.
    let column: Int

    /// The number of the field's columns.
    var columnCount: Int { inner.map { $0.columnCount(isOptional: form.isOptional) } ?? 1 }
  }

  /// A field as it is read and written. A required composite is replaced by its own fields.
  private struct Member {
    let offset: Int
    let column: Int32
    let form: any MemberForm.Type
    /// Unowned, because a retained copy for each row would change reference counts. The field owns the layout.
    unowned(unsafe) let inner: StructLayout?
  }

  package let type: any Any.Type
  let fields: [Field]
  let columnCount: Int32
  /// A column that is NULL only if the whole struct is nil; nil if there is no such column.
  private let requiredColumn: Int32?
  /// The number of bytes of scratch memory for intermediate values.
  let scratchSize: Int
  private let members: ContiguousArray<Member>

  init(type: any Any.Type, fields: [Field]) {
    self.type = type
    self.fields = fields
    columnCount = Int32(fields.reduce(0) { $0 + $1.columnCount })
    requiredColumn = fields.lazy.compactMap(\.requiredColumn).first
    scratchSize = fields.reduce(0) { $0 + $1.scratchSize }
    members = ContiguousArray(fields.flatMap { Self.members(of: $0) })
  }

  private static func members(of field: Field) -> [Member] {
    guard let inner = field.inner, !field.form.isOptional else {
      return [Member(offset: field.offset, column: Int32(field.column), form: field.form, inner: field.inner)]
    }
    return inner.members.map { member in
      Member(
        offset: field.offset + member.offset, column: Int32(field.column) + member.column, form: member.form,
        inner: member.inner)
    }
  }

  // MARK: Optionals of the struct

  /// The number of columns that an optional has before the struct's own columns. It is 1, for a flag that the value is
  /// present, if every column of the struct may be NULL; otherwise 0.
  package var leadingColumns: Int32 { requiredColumn == nil ? 1 : 0 }

  /// The column that is NULL exactly if the optional is nil.
  var presence: Int32 { requiredColumn ?? 0 }

  func columnCount(isOptional: Bool) -> Int {
    Int(columnCount) + (isOptional ? Int(leadingColumns) : 0)
  }

  // MARK: Values

  // `memory` is the address of a value of the struct: either every field is initialised, or none is.

  func read(_ row: RowReader, _ location: MemberLocation, into memory: UnsafeMutableRawPointer) -> Bool {
    members.withUnsafeBufferPointer { members in
      for index in members.indices {
        let member = members[index]
        let inside = MemberLocation(
          column: location.column &+ member.column, position: location.position, isNullable: location.isNullable,
          scratch: location.scratch, inner: member.inner)
        if !member.form.read(row, inside, into: memory + member.offset) {
          for member in members[..<index] { member.form.deinitialize(memory + member.offset) }
          return false
        }
      }
      return true
    }
  }

  func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ location: MemberLocation) {
    members.withUnsafeBufferPointer { members in
      for member in members {
        let inside = MemberLocation(
          column: location.column &+ member.column, position: location.position, isNullable: location.isNullable,
          scratch: nil, inner: member.inner)
        member.form.write(memory + member.offset, to: &row, inside)
      }
    }
  }

  func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer) -> Bool {
    members.allSatisfy { $0.form.isStored(memory + $0.offset, as: other + $0.offset, $0.inner) }
  }

  func appendEquality(
    to memory: UnsafeRawPointer, of column: CompositeColumn, into translation: inout some MemberEquality
  ) throws(UntranslatableExpression) {
    for (index, member) in members.enumerated() {
      try member.form.appendEquality(
        to: memory + member.offset, of: column.offset(by: Int(member.column)), member.inner, into: &translation)
      if index > 0 { translation.append(.and) }
    }
  }
}

extension StructLayout.Field {
  /// The index of a column that this field never sets to NULL, counted from the struct's first column; nil if none.
  fileprivate var requiredColumn: Int32? {
    if form.isOptional { return nil }
    guard let inner else { return Int32(column) }
    return inner.requiredColumn.map { Int32(column) + $0 }
  }

  fileprivate var scratchSize: Int {
    guard let inner else { return 0 }
    return form.isOptional ? inner.scratchSize + inner.paddedSize : inner.scratchSize
  }
}

extension StructLayout {
  /// The size of a buffer that has room for an aligned value of the struct, regardless of the buffer's address.
  var paddedSize: Int {
    let extent = TypeExtent(type)
    return extent.size + extent.alignment
  }
}

extension StructLayout {
  /// The layout of a struct; nil for other types, and for structs with a field that cannot be stored.
  static func layout(of type: any Any.Type) -> StructLayout? {
    structLayout(of: type)
  }

  private static func structLayout<Value>(of type: Value.Type) -> StructLayout? {
    guard let fields = StructFields.all(of: type) else { return nil }
    var result: [Field] = []
    var column = 0
    for field in fields {
      guard let (form, inner) = MemberForms.form(of: field.type) else { return nil }
      let member = Field(
        name: field.name, offset: field.offset, type: field.type, keyPath: field.keyPath, form: form, inner: inner,
        column: column)
      column += member.columnCount
      result.append(member)
    }
    return StructLayout(type: type, fields: result)
  }
}

/// Selects the form of a member by its type, in the order of the compile-time overloads.
enum MemberForms {
  typealias Form = (form: any MemberForm.Type, inner: StructLayout?)

  /// The form, with the layout of a composite; nil for a type that cannot be stored.
  static func form(of type: any Any.Type) -> Form? {
    if let optional = type as? any OptionalValue.Type {
      return optionalForm(of: optional.wrappedType) ?? json(type)
    }
    return requiredForm(of: type) ?? json(type)
  }

  private static func requiredForm<Value>(of type: Value.Type) -> Form? {
    if let value = requiredColumnForm(of: type) { return (value, nil) }
    return StructLayout.layout(of: type).map { (StructForm<Value>.self, $0) }
  }

  private static func optionalForm<Value>(of type: Value.Type) -> Form? {
    if let form = optionalColumnForm(of: type) { return (form, nil) }
    return StructLayout.layout(of: type).map { (OptionalStructForm<Value>.self, $0) }
  }

  /// The form of a value that is always stored in one column: a struct becomes JSON.
  static func columnForm<Value>(of type: Value.Type) -> (any MemberForm.Type)? {
    if let optional = type as? any OptionalValue.Type {
      return optionalColumnForm(of: optional.wrappedType) ?? json(type)?.form
    }
    return requiredColumnForm(of: type) ?? json(type)?.form
  }

  /// The form for ``_$Rank6``, the last rank of overloads. A type whose raw values or coding are isolated gets its
  /// usual form for one column. Other types get this rank only as generic parameters of the model; they become JSON.
  static func lastForm<Value>(of type: Value.Type) -> (any MemberForm.Type)? {
    let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
    let isIsolated = ActorConformance.hasIsolatedRawValues(wrapped) || ActorConformance.isCodedInActor(type)
    return isIsolated ? columnForm(of: type) : json(type)?.form
  }

  private static func requiredColumnForm(of type: any Any.Type) -> (any MemberForm.Type)? {
    if let form = frequentForm(of: type) { return form }
    if let storable = type as? any StorableValue.Type { return valueForm(of: storable) }
    return RawStorage.type(of: type).flatMap { rawForm(of: $0) }
  }

  private static func optionalColumnForm(of type: any Any.Type) -> (any MemberForm.Type)? {
    if let storable = type as? any StorableValue.Type { return optionalValueForm(of: storable) }
    return RawStorage.type(of: type).flatMap { optionalRawForm(of: $0) }
  }

  private static func frequentForm(of type: any Any.Type) -> (any MemberForm.Type)? {
    let frequent: [(any Any.Type, any MemberForm.Type)] = [
      (Double.self, DoubleForm.self), (Int.self, IntegerForm.self), (String.self, TextForm.self),
      (Bool.self, TruthForm.self), (Date.self, DateForm.self), (UUID.self, UUIDForm.self),
    ]
    return frequent.first { $0.0 == type }?.1
  }

  private static func valueForm<Value: StorableValue>(of _: Value.Type) -> any MemberForm.Type {
    ValueForm<Value>.self
  }

  private static func optionalValueForm<Value: StorableValue>(of _: Value.Type) -> any MemberForm.Type {
    OptionalValueForm<Value>.self
  }

  private static func rawForm<Value: RawRepresentable>(of _: Value.Type) -> (any MemberForm.Type)? {
    (RawForm<Value>.self as? any TypedMemberForm.Type).map {
      $0.bound(to: Value.self, ActorConformance.hasIsolatedRawValues(Value.self))
    }
  }

  private static func optionalRawForm<Value: RawRepresentable>(of _: Value.Type) -> (any MemberForm.Type)? {
    (OptionalRawForm<Value>.self as? any TypedMemberForm.Type).map {
      $0.bound(to: Value.self, ActorConformance.hasIsolatedRawValues(Value.self))
    }
  }

  /// Returns nil for models: even if a model is Codable, its JSON would store a copy instead of a reference.
  private static func json(_ type: any Any.Type) -> Form? {
    guard PropertyType(type).destination == nil else { return nil }
    func form<Value: Codable>(_: Value.Type) -> Form {
      (JSONForm<Value>.bound(to: Value.self, ActorConformance.isCodedInActor(Value.self)), nil)
    }
    return (type as? any (Decodable & Encodable).Type).map { form($0) }
  }
}

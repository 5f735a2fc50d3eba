/// How the values of a struct are laid out in columns, worked out once for each property of an entity.
///
/// Unchecked, because key paths and metatypes are not Sendable as types; nothing is changed after it is made.
package final class StructLayout: @unchecked Sendable {
  /// One stored field of the struct.
  struct Field {
    let name: String
    let offset: Int
    let type: any Any.Type
    let keyPath: AnyKeyPath
    let form: any MemberForm.Type
    /// The layout of a field that is a composite, or an optional one.
    let inner: StructLayout?
    /// The first column of the field, counted from the struct's first.
    let column: Int

    /// How many columns the field has.
    var columnCount: Int { inner.map { $0.columnCount(isOptional: form.isOptional) } ?? 1 }
  }

  /// What rows are read and written by: the fields, with those of required composites in their place.
  private struct Member {
    let offset: Int
    let column: Int32
    let form: any MemberForm.Type
    /// Unowned, since a copy for each row would count references; the field that it is from owns it.
    unowned(unsafe) let inner: StructLayout?
  }

  package let type: any Any.Type
  let fields: [Field]
  let columnCount: Int32
  /// The column that is NULL only when the struct itself is missing; nil when every one may be NULL.
  private let requiredColumn: Int32?
  /// How much memory the values need that are made on the way to one of the struct.
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

  /// How many columns an optional has before those of the struct: one that says whether there is a value, if no column
  /// of the struct does.
  package var leadingColumns: Int32 { requiredColumn == nil ? 1 : 0 }

  /// The column of an optional that is NULL exactly when it is nil.
  var presence: Int32 { requiredColumn ?? 0 }

  func columnCount(isOptional: Bool) -> Int {
    Int(columnCount) + (isOptional ? Int(leadingColumns) : 0)
  }

  // MARK: Values

  // Memory is that of a value of the struct: every field of it is initialised, or none.

  func read(_ row: RowReader, _ place: MemberPlace, into memory: UnsafeMutableRawPointer) -> Bool {
    members.withUnsafeBufferPointer { members in
      for index in members.indices {
        let member = members[index]
        let inside = MemberPlace(
          column: place.column &+ member.column, position: place.position, isNullable: place.isNullable,
          scratch: place.scratch, inner: member.inner)
        if !member.form.read(row, inside, into: memory + member.offset) {
          for member in members[..<index] { member.form.deinitialize(memory + member.offset) }
          return false
        }
      }
      return true
    }
  }

  func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ place: MemberPlace) {
    members.withUnsafeBufferPointer { members in
      for member in members {
        let inside = MemberPlace(
          column: place.column &+ member.column, position: place.position, isNullable: place.isNullable, scratch: nil,
          inner: member.inner)
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
  /// The column of the struct that this field never leaves NULL.
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
  /// How much memory a value of the struct may need, wherever the memory begins.
  var paddedSize: Int {
    let extent = TypeExtent(type)
    return extent.size + extent.alignment
  }
}

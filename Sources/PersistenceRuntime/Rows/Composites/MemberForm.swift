/// Transfers one member of a composite value between memory and columns.
///
/// All requirements are static: a member stores its form as a metatype, which is copied without reference counting.
/// Memory holds the member itself; the caller guarantees that it has the form's type.
package protocol MemberForm {
  /// The format of the member's only column; unused for a composite.
  static var format: ColumnFormat { get }
  static var isOptional: Bool { get }

  /// Initialises memory from a row. Returns false, with memory uninitialised, after reporting a failure.
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
  /// The layout of a composite member. Unowned, because reference counting would cost more than reading a number: the
  /// entity's layout owns it, and the row's session retains that.
  unowned(unsafe) let inner: StructLayout?
}

/// A column of a property.
package struct CompositeColumn {
  /// The number of the row in its query.
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

/// A form of one member type.
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

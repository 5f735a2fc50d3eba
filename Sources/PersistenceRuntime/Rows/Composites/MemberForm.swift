/// How one member of a composite value gets from memory to columns and back.
///
/// Everything is static: a member holds the form as a metatype, which is copied without counting references. Memory is
/// that of the member itself; whoever calls has made sure that the form's type is the member's.
package protocol MemberForm {
  /// The format of the member's only column; that of a composite is nobody's business.
  static var format: ColumnFormat { get }
  static var isOptional: Bool { get }

  /// Initialises memory with what a row has. False, with the memory as it was, after reporting why it cannot.
  static func read(_ row: RowReader, _ place: MemberPlace, into memory: UnsafeMutableRawPointer) -> Bool

  static func write(_ memory: UnsafeRawPointer, to row: inout RowWriter, _ place: MemberPlace)

  /// Whether two values are stored in the same way.
  static func isStored(_ memory: UnsafeRawPointer, as other: UnsafeRawPointer, _ inner: StructLayout?) -> Bool

  static func deinitialize(_ memory: UnsafeMutableRawPointer)

  /// Appends whether the member of the entity that is asked about equals the one in memory.
  static func appendEquality(
    to memory: UnsafeRawPointer, of column: CompositeColumn, _ inner: StructLayout?,
    into translation: inout some MemberEquality
  ) throws(UntranslatableExpression)
}

/// Where a member is in a row.
package struct MemberPlace {
  /// The first column or parameter of the member.
  let column: Int32
  /// The position of the property, for what is reported.
  let position: Int
  /// Whether the column may be NULL because a composite around the member may be nil.
  let isNullable: Bool
  /// Room for the values that are made on the way; null where none are.
  let scratch: UnsafeMutableRawPointer?
  /// The layout of the member, if it is a composite. Unowned, since counting references would cost more than reading a
  /// number: the layout of the entity owns it, and the session of the row owns that.
  unowned(unsafe) let inner: StructLayout?
}

/// A column by the property that it belongs to.
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

/// A form whose member is a value of one type.
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

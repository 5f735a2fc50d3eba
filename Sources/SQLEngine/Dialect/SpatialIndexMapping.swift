/// An index of rows as points of a space: a table of its own, beside the table whose rows it finds.
///
/// What is in it only narrows a search. The columns of the row decide.
package struct SpatialIndexMapping: Sendable, Hashable {
  /// One axis of the space.
  package struct Dimension: Sendable, Hashable {
    /// What is in the column.
    package enum Form: Sendable, Hashable {
      case number
      /// Whole numbers, the greatest of which are bytes.
      case unsigned
      /// Texts of decimal digits.
      case decimal
    }

    package let column: String
    package let form: Form
    /// Whether rows may have something else than a number in the column, and then are not in the index.
    package let mayBeMissing: Bool

    package var lowerColumn: String { column + "_min" }
    package var upperColumn: String { column + "_max" }
  }

  package let name: String
  package let table: String
  package let dimensions: [Dimension]
  /// The plain index that stands in its place in databases that cannot make it.
  package let plainName: String

  /// The index of the rows that are not in this one.
  package var outsideName: String { name + Self.outsideEnding }

  static let outsideEnding = "_outside"

  /// Whether there may be rows that are not in the index.
  package var isIncomplete: Bool { dimensions.contains(where: \.mayBeMissing) }
}

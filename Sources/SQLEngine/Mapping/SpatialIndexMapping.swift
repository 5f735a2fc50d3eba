import PersistenceCore

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

  package static let keyColumn = DatabaseMapping.keyColumn
  /// More make no index of this kind.
  package static let mostDimensions = 5

  package let name: String
  package let table: String
  package let dimensions: [Dimension]
  /// The plain index that stands in its place in databases that cannot make it.
  package let plainName: String

  /// The index of the rows that are not in this one.
  package var outsideName: String { name + "_outside" }

  /// Whether there may be rows that are not in the index.
  package var isIncomplete: Bool { dimensions.contains(where: \.mayBeMissing) }

  /// - Returns: nil when the columns are none that points are made of.
  init?(_ columns: [ColumnMapping], of table: String, entity: String, mayBeMissing: Bool, names: inout NameRegister) {
    let isPoint = columns.allSatisfy { $0.reference == nil && Self.formats.contains($0.format) }
    guard isPoint, 1...Self.mostDimensions ~= columns.count, Set(columns.map(\.name)).count == columns.count else {
      return nil
    }
    let wish = ([entity] + columns.map(\.name)).joined(separator: "_")
    self.table = table
    plainName = "\(DatabaseMapping.ownPrefix)index_\(wish)"
    name = names.claim("\(DatabaseMapping.ownPrefix)rtree_\(wish)")
    // Not-a-number is no number that a place could have.
    dimensions = columns.map {
      Dimension(
        column: $0.name, form: Self.form(of: $0), mayBeMissing: mayBeMissing || $0.isOptional || $0.format == .real)
    }
  }

  private static let formats: Set<ColumnFormat> = [.integer, .real, .decimal]

  private static func form(of column: ColumnMapping) -> Dimension.Form {
    column.format == .decimal ? .decimal : column.isUnsigned ? .unsigned : .number
  }
}

import PersistenceRuntime

/// The table that holds one entity; the entities of a hierarchy share that of their root.
package final class TableMapping: Sendable {
  package let entity: EntityLayout
  /// The position of the table in its database, by which connections keep its statements.
  package let index: Int
  package let name: String
  package let columns: [ColumnMapping]
  /// The columns of each property, as a range of ``columns``.
  package let columnRanges: [Range<Int>]
  /// The columns that say where a row stands in the to-many relationship that leads to it, by position of the property
  /// that leads back.
  package let positionColumns: [Int: String]
  /// The tables that hold the pairs of relationships, by position of the property.
  package let links: [Int: LinkTableMapping]
  package let indexes: [IndexMapping]
  /// What must be unique among the rows of the entity, by its own rules and those that it inherits.
  let uniqueIndexes: [IndexMapping]
  /// The indexes over points that the entity declares.
  package let spatialIndexes: [SpatialIndexMapping]
  /// What the indexes of the table have of decimal columns, by name.
  let decimalIndexes: [String: DecimalIndex]
  /// All indexes over points of the table, those that are most likely of use first.
  let searchableSpatialIndexes: [SpatialIndexMapping]
  /// The tables of all entities that inherit from this one, in the order of the entity's family.
  package let subtables: [TableMapping]

  /// - Parameter subtables: The tables of the entities that inherit from the entity.
  init(
    _ entity: EntityLayout, index: Int, parts: TableParts, subtables: [TableMapping] = []
  ) {
    self.entity = entity
    self.index = index
    self.name = parts.name
    self.columns = parts.columns
    self.columnRanges = parts.ranges
    self.positionColumns = parts.positionColumns
    self.links = parts.links
    self.indexes = parts.indexes
    self.decimalIndexes = DecimalIndex.all(
      of: parts.columns, in: parts.inheritedIndexes + parts.indexes + subtables.flatMap(\.indexes))
    self.uniqueIndexes = (parts.inheritedIndexes + parts.indexes).filter(\.isUnique)
    self.spatialIndexes = parts.spatialIndexes
    self.searchableSpatialIndexes =
      parts.spatialIndexes + parts.inheritedSpatialIndexes + subtables.flatMap(\.spatialIndexes)
    self.subtables = subtables
  }

  /// The columns of a property.
  package func columns(of position: Int) -> ArraySlice<ColumnMapping> {
    columnRanges.indices.contains(position) ? columns[columnRanges[position]] : []
  }

  /// The format of a column of the entity or of one that inherits from it; nil when it belongs to no property.
  func format(ofColumn name: String) -> ColumnFormat? {
    let all = columns + subtables.flatMap(\.columns)
    return all.first { $0.name == name }?.format
  }

  /// The columns of all properties in a mask, in order of declaration.
  package func columns(in mask: UInt64) -> [ColumnMapping] {
    columns.filter { $0.bit & mask != 0 }
  }
}

extension PropertyKind {
  /// The entity that a to-one relationship leads to.
  var toOneDestination: String? {
    if case .toOne(let destination) = self { return destination }
    return nil
  }
}

extension RelationshipLayout {
  /// Whether rows have a position among those that refer to the same row. The table has the column whether or not the
  /// inverse relationship is ordered.
  var isRanked: Bool { storage == .column && inverse?.isToMany == true }
}

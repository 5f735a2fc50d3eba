import PersistenceCore

/// The table that holds one entity.
package final class TableMapping: Sendable {
  package let entity: EntityLayout
  /// The position of the table in its database, by which connections keep its statements.
  package let index: Int
  package let name: String
  package let columns: [ColumnMapping]
  /// The columns of each property, as a range of ``columns``.
  package let columnRanges: [Range<Int>]
  /// The link tables of the to-many properties, by position of the property.
  package let links: [Int: LinkTableMapping]
  package let indexes: [IndexMapping]

  init(
    _ entity: EntityLayout, index: Int, tableNames: [String: String], dialect: some SQLDialect,
    names: inout NameRegister
  ) {
    self.entity = entity
    self.index = index
    self.name = tableNames[entity.name] ?? entity.name
    let (columns, ranges) = Self.columns(of: entity, tableNames: tableNames, dialect: dialect)
    self.columns = columns
    self.columnRanges = ranges
    self.links = LinkTableMapping.all(of: entity, tableNames: tableNames, names: &names)
    self.indexes = IndexMapping.all(of: entity, columns: columns, ranges: ranges, names: &names)
  }

  /// The columns of a property.
  package func columns(of position: Int) -> ArraySlice<ColumnMapping> {
    columnRanges.indices.contains(position) ? columns[columnRanges[position]] : []
  }

  /// The columns of all properties in a mask, in order of declaration.
  package func columns(in mask: UInt64) -> [ColumnMapping] {
    columns.filter { $0.bit & mask != 0 }
  }

  private static func columns(
    of entity: EntityLayout, tableNames: [String: String], dialect: some SQLDialect
  ) -> ([ColumnMapping], [Range<Int>]) {
    var register = NameRegister(foldsCase: dialect.foldsCase, taken: [DatabaseMapping.keyColumn])
    var columns: [ColumnMapping] = []
    var ranges: [Range<Int>] = []
    for property in entity.properties {
      let start = columns.count
      for column in property.columns {
        let destination = property.kind.toOneDestination.flatMap { tableNames[$0] }
        columns.append(
          ColumnMapping(
            name: register.claim(column.name), format: column.format, isOptional: column.isOptional,
            bit: property.bit, destination: destination))
      }
      ranges.append(start..<columns.count)
    }
    return (columns, ranges)
  }
}

extension PropertyKind {
  /// The entity that a to-one relationship leads to.
  var toOneDestination: String? {
    if case .toOne(let destination) = self { return destination }
    return nil
  }

  /// The entity that a to-many relationship leads to.
  var toManyDestination: String? {
    if case .toMany(let destination) = self { return destination }
    return nil
  }
}

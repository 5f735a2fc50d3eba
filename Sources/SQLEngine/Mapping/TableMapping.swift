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
  /// The columns that say where a row stands in the to-many relationship that leads to it, by position of the property
  /// that leads back.
  package let positionColumns: [Int: String]
  /// The tables that hold the pairs of relationships, by position of the property.
  package let links: [Int: LinkTableMapping]
  package let indexes: [IndexMapping]

  init(
    _ entity: EntityLayout, index: Int, tableNames: [String: String], dialect: some SQLDialect,
    names: inout NameRegister
  ) {
    self.entity = entity
    self.index = index
    self.name = tableNames[entity.name] ?? entity.name
    var register = NameRegister(foldsCase: dialect.foldsCase, taken: [DatabaseMapping.keyColumn])
    let (columns, ranges) = Self.columns(of: entity, tableNames: tableNames, names: &register)
    self.columns = columns
    self.columnRanges = ranges
    let positions = entity.relationships.filter(\.isPlaced).map { relationship in
      (relationship.position, register.claim("\(DatabaseMapping.ownPrefix)position_\(relationship.name)"))
    }
    self.positionColumns = Dictionary(positions) { first, _ in first }
    self.links = LinkTableMapping.all(of: entity, tableNames: tableNames, dialect: dialect)
    self.indexes = IndexMapping.all(
      of: entity, columns: columns, ranges: ranges, positions: positionColumns, names: &names)
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
    of entity: EntityLayout, tableNames: [String: String], names register: inout NameRegister
  ) -> ([ColumnMapping], [Range<Int>]) {
    var columns: [ColumnMapping] = []
    var ranges: [Range<Int>] = []
    for property in entity.properties {
      let start = columns.count
      for column in property.columns {
        let reference = property.kind.toOneDestination.flatMap { tableNames[$0] }.flatMap {
          ReferenceMapping(property.relationship, isOptional: column.isOptional, table: $0)
        }
        columns.append(
          ColumnMapping(
            name: register.claim(column.name), format: column.format, isOptional: column.isOptional,
            bit: property.bit, reference: reference))
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
}

extension RelationshipLayout {
  /// Whether rows have a place among those that refer to the same row. The order is a property of the inverse, but
  /// whether anybody asks for it does not change the table.
  var isPlaced: Bool { storage == .column && inverse?.isToMany == true }
}

import PersistenceRuntime

/// What an entity's table consists of, worked out before the tables of subentities are there.
struct TableParts {
  let name: String
  private(set) var columns: [ColumnMapping] = []
  private(set) var ranges: [Range<Int>] = []
  private(set) var positionColumns: [Int: String] = [:]
  private(set) var links: [Int: LinkTableMapping] = [:]
  private(set) var indexes: [IndexMapping] = []
  /// The indexes over points, of the entities that the entity inherits from too.
  private(set) var spatialIndexes: [SpatialIndexMapping] = []
  private(set) var inheritedSpatialIndexes: [SpatialIndexMapping] = []
  /// The indexes of the entities that the entity inherits from.
  let inheritedIndexes: [IndexMapping]

  /// - Parameters:
  ///   - inherited: The parts of the entity's superentity, which come first.
  ///   - linkNames: The names of all tables of pairs.
  ///   - columnNames: The names that the columns of the table have so far.
  init(
    of entity: EntityLayout, inheriting inherited: TableParts? = nil, tableNames: [String: String],
    dialect: some SQLDialect, linkNames: LinkNames, hasSpatialIndexes: Bool = true, columnNames: inout NameRegister,
    names: inout NameRegister
  ) {
    name = tableNames[entity.name] ?? entity.name
    columns = inherited?.columns ?? []
    ranges = inherited?.ranges ?? []
    inheritedIndexes = inherited.map { $0.inheritedIndexes + $0.indexes } ?? []
    let ownNames = ColumnNames(of: entity.properties[ranges.count...], names: &columnNames)
    for property in entity.properties[ranges.count...] {
      let start = columns.count
      for column in property.columns {
        let reference = property.kind.toOneDestination.flatMap { tableNames[$0] }.flatMap {
          ReferenceMapping(property.relationship, isOptional: column.isOptional, table: $0)
        }
        columns.append(
          ColumnMapping(
            name: ownNames[column], format: column.format, isOptional: column.isOptional,
            bit: property.bit, reference: reference, isUnsigned: column.isUnsigned,
            remark: ColumnRemark(column, of: property)))
      }
      ranges.append(start..<columns.count)
    }
    positionColumns = inherited?.positionColumns ?? [:]
    for relationship in entity.relationships where relationship.isRanked {
      guard positionColumns[relationship.position] == nil else { continue }
      let name = "\(DatabaseMapping.ownPrefix)position_\(relationship.name)"
      positionColumns[relationship.position] = columnNames.claim(name)
    }
    links = LinkTableMapping.all(of: entity, tableNames: tableNames, linkNames: linkNames)
    var plain: [[String]] = []
    for list in entity.spatialIndices {
      let columns = list.flatMap { part in part.range.map { self.columns[ranges[part.property].lowerBound + $0] } }
      let index = SpatialIndexMapping(
        columns, of: name, entity: entity.name, mayBeMissing: inherited != nil, dialect: dialect, names: &names)
      if let index, hasSpatialIndexes { spatialIndexes.append(index) } else { plain.append(columns.map(\.name)) }
    }
    inheritedSpatialIndexes = inherited.map { $0.inheritedSpatialIndexes + $0.spatialIndexes } ?? []
    indexes = IndexMapping.all(
      of: entity, columns: columns, ranges: ranges, positions: positionColumns, inherited: inheritedIndexes,
      others: plain, names: &names)
  }
}

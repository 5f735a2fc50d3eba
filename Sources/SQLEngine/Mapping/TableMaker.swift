import PersistenceRuntime

/// Makes the tables of entities, those of a hierarchy together.
struct TableMaker<Dialect: SQLDialect> {
  private let entities: [EntityLayout]
  private let tableNames: [String: String]
  private let dialect: Dialect
  private let linkNames: LinkNames
  private let hasSpatialIndexes: Bool
  private var names: NameRegister
  private var made: [Int: TableMapping] = [:]

  init(
    _ entities: [EntityLayout], tableNames: [String: String], dialect: Dialect, prefix: String = "",
    hasSpatialIndexes: Bool = true
  ) {
    self.entities = entities
    self.tableNames = tableNames
    self.dialect = dialect
    self.hasSpatialIndexes = hasSpatialIndexes
    linkNames = LinkNames(of: entities, dialect: dialect, prefix: prefix)
    names = NameRegister(dialect, taken: Array(tableNames.values))
  }

  /// The tables, in the order of the entities.
  mutating func tables() -> [TableMapping] {
    for index in entities.indices.sorted(by: { entities[$0].name < entities[$1].name }) {
      let entity = entities[index]
      if entity.inheritance == nil { makeTable(of: entity, at: index) }
      if entity.inheritance?.isRoot == true { makeTables(ofFamily: entity) }
    }
    return entities.indices.compactMap { made[$0] }
  }

  private mutating func makeTable(of entity: EntityLayout, at index: Int) {
    var columnNames = NameRegister(dialect, taken: [DatabaseMapping.keyColumn])
    let parts = TableParts(
      of: entity, tableNames: tableNames, dialect: dialect, linkNames: linkNames, hasSpatialIndexes: hasSpatialIndexes,
      columnNames: &columnNames, names: &names)
    made[index] = TableMapping(entity, index: index, parts: parts)
  }

  private mutating func makeTables(ofFamily root: EntityLayout) {
    var columnNames = NameRegister(dialect, taken: [DatabaseMapping.keyColumn, DatabaseMapping.entityColumn])
    var parts: [String: TableParts] = [:]
    for entity in root.family {
      parts[entity.name] = TableParts(
        of: entity, inheriting: (entity.inheritance?.superentityNames.first).flatMap { parts[$0] },
        tableNames: tableNames, dialect: dialect, linkNames: linkNames, hasSpatialIndexes: hasSpatialIndexes,
        columnNames: &columnNames, names: &names)
    }
    // Those that inherit first, since a table has those of its subentities.
    var tables: [String: TableMapping] = [:]
    for entity in root.family.reversed() {
      guard let index = entities.firstIndex(where: { $0.name == entity.name }), let own = parts[entity.name] else {
        continue
      }
      let table = TableMapping(
        entities[index], index: index, parts: own, subtables: entity.family.dropFirst().compactMap { tables[$0.name] })
      tables[entity.name] = table
      made[index] = table
    }
  }
}

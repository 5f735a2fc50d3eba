import PersistenceRuntime
import PersistenceSchemas

/// A table whose rows, or those of some entities, are in another table afterwards, and what is called otherwise there.
package struct TableRenaming: Sendable, Hashable {
  /// A table, and the name under which its keys are counted.
  package struct CountedTable: Sendable, Hashable {
    package let name: String
    package let sequenceName: String
  }

  package let old: String
  package let new: String
  /// The new names of columns that get other ones, by the old ones.
  package var columns: [String: String] = [:]
  /// The entities whose rows they are, by their old names.
  package var entities: [String] = []
  /// Whether other rows of the table are in other tables afterwards.
  package var isPart = false
  /// The tables whose greatest keys are added to the keys of the rows, since rows of several get into one table.
  package var preceding: [CountedTable] = []
}

// MARK: Tables that stay

extension DatabaseMigration {
  /// The tables that get the names of their entities, before anything else. Only where references lead to tables, whatever
  /// these are called, and nothing in the rows says which entity they are of.
  static func renamings(
    _ change: SchemaChange, from old: DatabaseMapping, to new: DatabaseMapping, _ dialect: any SQLDialect
  ) -> [TableRenaming] {
    guard dialect.altersColumns else { return [] }
    let taken = NameRegister(dialect, taken: old.tables.map(\.name) + old.tables.flatMap(\.ownLinks).map(\.name))
    return new.tables.compactMap { table in
      let entity = table.entity
      guard entity.inheritance == nil, change.isKept(entity.name), change.isRenamed(entity.name),
        let before = old.table(named: change.oldName(of: entity.name)), before.entity.inheritance == nil,
        !taken.isTaken(table.name)
      else { return nil }
      return TableRenaming(old: before.name, new: table.name)
    }
  }

  /// The tables of a database under other names. Their indexes and pairs have the names that they had.
  static func mapping(
    _ old: DatabaseMapping, renamedBy renamings: [TableRenaming], _ dialect: some SQLDialect
  ) -> DatabaseMapping {
    let names = Dictionary(renamings.map { ($0.old, $0.new) }) { first, _ in first }
    var others: [String: String] = [:]
    for table in old.tables where table.entity.inheritance == nil { others[table.entity.name] = names[table.name] }
    return DatabaseMapping(
      entities: old.tables.map(\.entity), dialect: dialect, hasSpatialIndexes: old.hasSpatialIndexes,
      otherNames: others)
  }
}

extension MigrationPlanner {
  /// Gives tables the names of their entities. References are removed under the names that the tables had.
  mutating func renameTables() {
    plan.renamedTables = migration.renamedTables
    removeReferences()
    for (old, new) in migration.renamedTables.sorted(by: { $0.key < $1.key }) {
      add("ALTER TABLE \(tableName(old)) RENAME TO \(quoted(new))")
      renameOriginals(of: old, to: new)
    }
  }

  // MARK: Indexes

  /// The name that an index gets which stays with a table that got another name; nil where it goes.
  func newName(of index: IndexMapping, in table: PhysicalTable) -> String? {
    guard let new = migration.newTables.first(where: { $0.name == table.name }) else { return nil }
    return renamings(ofIndexesOf: new).first { $0.old == index }?.new.name
  }

  /// The indexes of a new table that were there, with other names.
  func renamedIndexes(of table: PhysicalTable) -> [IndexMapping] { renamings(ofIndexesOf: table).map { $0.new } }

  private func renamings(ofIndexesOf table: PhysicalTable) -> [(old: IndexMapping, new: IndexMapping)] {
    guard migration.renamedTables.values.contains(table.name), tablePlans[table.name]?.isMade == false,
      let before = migration.oldTables.first(where: { $0.name == table.name })
    else { return [] }
    let taken = Set(migration.before.tables.flatMap(\.indexes).map(\.name))
    return table.indexes.compactMap { index in
      guard !before.indexes.contains(index), !taken.contains(index.name),
        let old = before.indexes.first(where: { $0.isSame(as: index) })
      else { return nil }
      return (old: old, new: index)
    }
  }
}

extension IndexMapping {
  /// Whether two are alike but for their names.
  fileprivate func isSame(as other: IndexMapping) -> Bool {
    columns == other.columns && isUnique == other.isUnique && entities == other.entities
  }
}

// MARK: Where values are now

extension DatabaseMigration {
  /// The tables whose rows get into others, or together with those of others, or whose columns get other names.
  package var tableRenamings: [TableRenaming] {
    let planner = MigrationPlanner(self)
    return newTables.flatMap { table in
      let sources = planner.sources(of: table)
      return sources.indices.compactMap { index -> TableRenaming? in
        guard let name = counted(sources[index])?.name else { return nil }
        let entities = entities(of: table, from: sources[index])
        let renaming = TableRenaming(
          old: name, new: table.name, columns: renamedColumns(of: entities),
          entities: entities.map { change.oldName(of: $0.entity.name) },
          isPart: newTables.contains { $0.name != table.name && !self.entities(of: $0, from: sources[index]).isEmpty },
          preceding: sources[..<index].compactMap(counted))
        let isSame = name == table.name && renaming.columns.isEmpty && !renaming.isPart
        return isSame && sources.count == 1 ? nil : renaming
      }
    }
  }

  private func counted(_ table: PhysicalTable) -> TableRenaming.CountedTable? {
    before.table(named: table.root.entity.name).map {
      TableRenaming.CountedTable(name: $0.name, sequenceName: $0.sequenceName)
    }
  }

  /// The entities of a new table whose rows come from an old one.
  private func entities(of table: PhysicalTable, from source: PhysicalTable) -> [TableMapping] {
    table.members.filter { change.isKept($0.entity.name) && oldTable(of: $0.entity.name)?.name == source.name }
  }

  private func renamedColumns(of members: [TableMapping]) -> [String: String] {
    var names: [String: String] = [:]
    for member in members {
      for property in member.entity.properties {
        guard let (mapping, old) = oldProperty(property.name, in: member.entity.name) else { continue }
        for (column, layout) in zip(member.columns(of: property.position), property.columns) {
          let before = oldColumn([old.name] + layout.path.dropFirst(), of: old, in: mapping)
          if let before, before.name != column.name { names[before.name] = column.name }
        }
      }
    }
    return names
  }
}

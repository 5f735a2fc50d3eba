import PersistenceRuntime
import PersistenceSchemas

/// Describes how rows move from an old table to a new one: all rows of the table or only those of some entities.
package struct TableRenaming: Sendable, Hashable {
  /// A table, and the name under which its next key is stored.
  package struct CountedTable: Sendable, Hashable {
    package let name: String
    package let sequenceName: String
  }

  package let old: String
  package let new: String
  /// The new names of the renamed columns, by their old names.
  package var columns: [String: String] = [:]
  /// The old names of the entities whose rows move.
  package var entities: [String] = []
  /// True if other rows of the old table move to other tables.
  package var isPart = false
  /// The tables whose greatest keys are added to the keys of these rows, if rows of several tables are merged.
  package var preceding: [CountedTable] = []
}

// MARK: Tables that stay

extension DatabaseMigration {
  /// The tables that are renamed before anything else, because their entities are renamed. This requires a dialect in
  /// which foreign keys follow renamed tables, and a table whose rows do not contain the name of the entity.
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

  /// A mapping to the same tables under other names. The names of their indexes and link tables do not change.
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
  /// Renames tables whose entities are renamed. Before that, drops foreign keys under the old names of the tables.
  mutating func renameTables() {
    plan.renamedTables = migration.renamedTables
    removeReferences()
    for (old, new) in migration.renamedTables.sorted(by: { $0.key < $1.key }) {
      add("ALTER TABLE \(tableName(old)) RENAME TO \(quoted(new))")
      renameOriginals(of: old, to: new)
    }
  }

  // MARK: Indexes

  /// The new name of an index that a renamed table keeps; nil if the index is dropped instead.
  func newName(of index: IndexMapping, in table: PhysicalTable) -> String? {
    guard let new = migration.newTables.first(where: { $0.name == table.name }) else { return nil }
    return renamings(ofIndexesOf: new).first { $0.old == index }?.new.name
  }

  /// The indexes of a renamed table that exist already, and only get new names.
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
  /// Whether two indexes differ only in their names.
  fileprivate func isSame(as other: IndexMapping) -> Bool {
    columns == other.columns && isUnique == other.isUnique && entities == other.entities
  }
}

// MARK: New locations of values

extension DatabaseMigration {
  /// Describes all tables that are renamed, merged or split, or that have renamed columns.
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

  /// The entities of a new table whose rows were in an old table.
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

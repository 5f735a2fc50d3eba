import PersistenceRuntime
import PersistenceSchemas

/// A table all of whose rows are in one other table afterwards, and what is called otherwise there.
package struct TableRenaming: Sendable, Hashable {
  package let old: String
  package let new: String
  /// The new names of columns that get other ones, by the old ones.
  package var columns: [String: String] = [:]
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
  /// The tables whose rows are all in one other table afterwards, which has no others: those whose names, or whose columns'
  /// names, are not what they were.
  package var tableRenamings: [TableRenaming] {
    newTables.compactMap { table in
      guard let source = soleSource(of: table), let name = before.table(named: source.root.entity.name)?.name else {
        return nil
      }
      let renaming = TableRenaming(old: name, new: table.name, columns: renamedColumns(of: table))
      return renaming.old == renaming.new && renaming.columns.isEmpty ? nil : renaming
    }
  }

  private func soleSource(of table: PhysicalTable) -> PhysicalTable? {
    let names = Set(sources(of: table).map(\.name))
    guard names.count == 1, let source = oldTables.first(where: { names.contains($0.name) }) else { return nil }
    let users = newTables.filter { sources(of: $0).contains { $0.name == source.name } }
    return users.count == 1 ? source : nil
  }

  private func sources(of table: PhysicalTable) -> [PhysicalTable] {
    table.members.filter { change.isKept($0.entity.name) }.compactMap { oldTable(of: $0.entity.name) }
  }

  private func renamedColumns(of table: PhysicalTable) -> [String: String] {
    var names: [String: String] = [:]
    for member in table.members where change.isKept(member.entity.name) {
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

import PersistenceRuntime
import PersistenceSchemas

/// Computes the operations of a migration.
struct MigrationPlanner {
  let migration: DatabaseMigration
  var plan = DatabaseMigration.Plan()
  /// How each new table is created, by name.
  var tablePlans: [String: TablePlan] = [:]
  /// The names of the old tables that are set aside.
  var aside: Set<String> = []
  /// The names of the old tables whose originals are set aside.
  var tablesWithOriginalsAside: [String] = []
  private(set) var references: [ReferenceTransfer] = []
  private(set) var links: [LinkPlan] = []

  init(_ migration: DatabaseMigration) {
    self.migration = migration
    references = referenceTransfers()
    links = linkPlans()
  }

  mutating func planned() -> DatabaseMigration.Plan {
    for table in migration.newTables { tablePlans[table.name] = tablePlan(of: table) }
    let kept = Set(migration.newTables.filter { tablePlans[$0.name]?.isMade == false }.map(\.name))
    aside = Set(migration.oldTables.map(\.name).filter { !kept.contains($0) })
    plan.lostValues = lostValues()
    if !migration.renamedTables.isEmpty { renameTables() }
    refuseInexactNumbers()
    refuseObstacles()
    refuseConflicts()
    if migration.renamedTables.isEmpty { removeReferences() }
    dropIndexes()
    dropSpatialIndexes()
    setAside()
    for table in migration.newTables { make(table) }
    for transfer in references { run(transfer) }
    for link in links { make(link) }
    for table in migration.newTables { fill(table) }
    for table in migration.newTables { storeDefaultOriginals(of: table) }
    for table in migration.newTables { mend(table) }
    for table in migration.newTables { makeIndexes(of: table) }
    for table in migration.newTables { makeSpatialIndexes(of: table) }
    countKeys()
    addReferences()
    dropOldTables()
    removeOriginalsAside()
    return plan
  }

  mutating func add(_ sql: String, rows: String? = nil) { plan.operations.append(.run(sql, rows: rows)) }

  func quoted(_ name: String) -> String { migration.dialect.quoted(name) }

  func tableName(_ name: String) -> String { migration.dialect.table(name) }

  private func indexName(_ name: String) -> String { migration.dialect.index(name) }

  /// Limits the rows that a message lists to one more than it shows, to find out whether there are more.
  var fewRows: String { migration.dialect.limitClause(limit: "6", offset: nil) }

  /// The name that an old table has during the migration.
  func currentName(of table: String) -> String {
    aside.contains(table) ? asideName(of: table) : table
  }

  /// The name that an old table has while it is set aside.
  func asideName(of table: String) -> String {
    (DatabaseMigration.asidePrefix + table).fitted(to: migration.dialect.longestName)
  }

  /// Whether a new relationship gets references or pairs from an old table.
  func isRead(_ table: PhysicalTable) -> Bool {
    references.contains { $0.pairs.table == table.name }
      || links.contains { $0.sources.contains { $0.table == table.name } }
  }

  // MARK: Indexes

  private mutating func dropIndexes() {
    for table in migration.oldTables {
      var kept: Set<IndexMapping> = []
      if !aside.contains(table.name), let new = migration.newTables.first(where: { $0.name == table.name }) {
        kept = Set(new.indexes)
      }
      for index in table.indexes where !kept.contains(index) {
        if let name = newName(of: index, in: table) {
          add("ALTER INDEX \(indexName(index.name)) RENAME TO \(quoted(name))")
        } else {
          add("DROP INDEX \(indexName(index.name))")
        }
      }
    }
    for link in oldLinks where !links.contains(where: { $0.keepsIndex(of: link) }) {
      add("DROP INDEX \(indexName(link.indexName))")
    }
  }

  private mutating func makeIndexes(of table: PhysicalTable) {
    var kept: Set<IndexMapping> = []
    if tablePlans[table.name]?.isMade == false, let old = migration.oldTables.first(where: { $0.name == table.name }) {
      kept = Set(old.indexes)
    }
    kept.formUnion(renamedIndexes(of: table))
    for member in table.members {
      for (index, sql) in zip(member.indexes, migration.definition.indexes(of: member)) where !kept.contains(index) {
        guard index.isUnique else {
          add(sql, rows: table.name)
          continue
        }
        let operation = MigrationOperation.makeUnique(uniqueness(index, sql, member))
        // Until a custom stage sets the real values, all rows have the same placeholder, so the index would fail.
        if migration.keepsOld { plan.completion.append(operation) } else { plan.operations.append(operation) }
      }
    }
  }

  private func uniqueness(_ index: IndexMapping, _ sql: String, _ table: TableMapping) -> UniquenessTest {
    let tests =
      index.columns.map { "\(quoted($0)) IS NOT NULL" }
      + (index.entities.isEmpty ? [] : [TableMapping.test(for: index.entities, dialect: migration.dialect)])
    let list = index.columns.map { migration.dialect.indexed(quoted($0), format: table.format(ofColumn: $0)) }
      .joined(separator: ", ")
    return UniquenessTest(
      entity: table.entity.name, columns: index.columns, sql: sql,
      duplicates: "SELECT \(list), count(*) FROM \(tableName(table.name)) "
        + "WHERE \(tests.joined(separator: " AND ")) GROUP BY \(list) HAVING count(*) > 1 \(fewRows)", table: table.name
    )
  }

  // MARK: Old tables

  var oldLinks: [LinkTableMapping] {
    migration.old.tables.flatMap(\.ownLinks)
  }

  private mutating func setAside() {
    for link in oldLinks where !links.contains(where: { $0.keeps(link) || $0.renames(link) }) { putAside(link.name) }
    for table in migration.oldTables where aside.contains(table.name) {
      putAside(table.name)
      putOriginalsAside(of: table.name)
    }
    for link in links {
      guard case .rename(let old) = link.origin else { continue }
      add("ALTER TABLE \(tableName(old.name)) RENAME TO \(quoted(link.mapping.name))")
      let names = [old.name, link.mapping.name].map { migration.dialect.literal(.text($0)) }
      add("DELETE FROM \(migration.sequenceTable) WHERE entity = \(names[1])")
      add("UPDATE \(migration.sequenceTable) SET entity = \(names[1]) WHERE entity = \(names[0])")
    }
  }

  private mutating func putAside(_ table: String) {
    add("ALTER TABLE \(tableName(table)) RENAME TO \(quoted(asideName(of: table)))")
  }

  private mutating func dropOldTables() {
    let links = oldLinks.filter { link in !self.links.contains { $0.keeps(link) || $0.renames(link) } }
    for name in links.map(\.name) + migration.oldTables.map(\.name).filter(aside.contains) {
      plan.completion.append(.run("DROP TABLE \(tableName(asideName(of: name)))"))
    }
  }
}

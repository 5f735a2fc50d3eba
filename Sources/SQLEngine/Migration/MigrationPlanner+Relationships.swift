import PersistenceRuntime
import PersistenceSchemas

/// A to-one relationship that gets its references from an old relationship that is stored elsewhere.
struct ReferenceTransfer {
  let table: String
  let column: PhysicalColumn
  let positionColumn: String?
  let pairs: RelationshipPairs
  let path: String
}

/// How a link table of the new schema is created: kept, renamed, or made from old pairs.
struct LinkPlan {
  enum Origin {
    case keep
    case rename(LinkTableMapping)
    case make
  }

  let mapping: LinkTableMapping
  let origin: Origin
  let sources: [RelationshipPairs]

  func keeps(_ link: LinkTableMapping) -> Bool {
    if case .keep = origin { return mapping.name == link.name }
    return false
  }

  /// Whether an old link table keeps its index. If relationships are added or removed, the index name may change.
  func keepsIndex(of link: LinkTableMapping) -> Bool { keeps(link) && mapping.indexName == link.indexName }

  func renames(_ link: LinkTableMapping) -> Bool {
    if case .rename(let old) = origin { return old.name == link.name }
    return false
  }
}

extension MigrationPlanner {
  /// The old pairs that a new relationship takes over, from the old versions of itself and of its inverse.
  private func sources(of relationship: RelationshipLayout, in entity: EntityLayout) -> [RelationshipPairs] {
    var result: [RelationshipPairs] = []
    func add(_ pairs: RelationshipPairs?) {
      guard let pairs, !result.contains(where: { $0.location == pairs.location }) else { return }
      result.append(pairs)
    }
    for member in entity.family { add(migration.oldPairs(of: relationship.name, in: member.name)) }
    guard let inverse = relationship.inverse, let destination = migration.new.table(named: relationship.destination)
    else { return result }
    for member in destination.entity.family {
      add(migration.oldPairs(of: inverse.name, in: member.name)?.reversed)
    }
    return result
  }

  // MARK: References

  /// Where a reference column gets its values when rows are copied. References from other tables are set later.
  func reference(_ property: PropertyLayout, _ column: PhysicalColumn, of entity: EntityLayout) -> ColumnSource {
    guard let pairs = migration.oldPairs(of: property.name, in: entity.name),
      pairs.owner == DatabaseMapping.keyColumn, pairs.table == pairs.ownerTable
    else { return .constant(column.isRequired ? .integer(0) : .null) }
    let name = quoted(pairs.target)
    if column.isRequired, isOptional(pairs) { return .expression("coalesce(\(name), 0)") }
    return moved(pairs.target, from: pairs.targetTable, to: property.relationship?.destination).map {
      .expression("\(name) + \($0)")
    } ?? .column(pairs.target)
  }

  private func isOptional(_ pairs: RelationshipPairs) -> Bool {
    let table = migration.oldTables.first { $0.name == pairs.table }
    return table?.columns.first { $0.name == pairs.target }?.isRequired != true
  }

  /// The difference between the new and the old keys of the rows to which an old column refers; nil if there is none.
  private func moved(_ column: String, from table: String, to entity: String?) -> String? {
    guard let old = migration.oldTables.first(where: { $0.name == table }), let entity,
      let new = migration.newTables.first(where: { $0.members.contains { $0.entity.name == entity } })
    else { return nil }
    return offset(from: old, to: new)
  }

  /// The relationships whose references are not copied together with their rows.
  func referenceTransfers() -> [ReferenceTransfer] {
    migration.newTables.flatMap { table in
      table.columns.flatMap { column -> [ReferenceTransfer] in
        guard case .value(let entity, let property, _) = column.content, let layout = property.relationship else {
          return []
        }
        let mapping = table.members.first { $0.entity.name == entity.name }
        // A reference in a column of the row itself is copied with the row, so it needs no transfer.
        let others = sources(of: layout, in: entity).filter { pairs in
          pairs.owner != DatabaseMapping.keyColumn || pairs.table != pairs.ownerTable
        }
        return others.map {
          ReferenceTransfer(
            table: table.name, column: column, positionColumn: mapping?.positionColumns[property.position], pairs: $0,
            path: layout.path)
        }
      }
    }
  }

  /// Fails the migration if a to-one relationship would have to refer to several rows.
  mutating func refuseConflicts() {
    for transfer in references {
      let (owner, target) = (quoted(transfer.pairs.owner), quoted(transfer.pairs.target))
      let query =
        "SELECT \(owner), count(DISTINCT \(target)) FROM \(tableName(transfer.pairs.table)) "
        + "WHERE \(owner) IS NOT NULL AND \(target) IS NOT NULL GROUP BY \(owner) HAVING count(DISTINCT \(target)) > 1 "
        + fewRows
      plan.operations.append(
        .refuse(
          RowRefusal(
            query: query,
            message: "\(transfer.path) holds one object, and these rows are in relationships with several that are to "
              + "become it: %. Let go of all but one in willMigrate of a .custom stage.")))
    }
  }

  mutating func run(_ transfer: ReferenceTransfer) {
    let (table, column) = (quoted(transfer.table), quoted(transfer.column.name))
    let pairs = "(\(select(transfer.pairs, as: transfer.column.reference?.table, owner: transfer.table))) AS pairs"
    var changes = ["\(column) = pairs.target"]
    if let position = transfer.positionColumn { changes.append("\(quoted(position)) = pairs.owner_position") }
    let isUnset = transfer.column.isRequired ? "\(column) = 0" : "\(column) IS NULL"
    add(
      "UPDATE \(tableName(transfer.table)) SET \(changes.joined(separator: ", ")) FROM \(pairs) "
        + "WHERE \(table).\(quoted(DatabaseMapping.keyColumn)) = pairs.owner AND \(table).\(isUnset)",
      rows: transfer.table)
    if let position = transfer.positionColumn,
      let root = migration.newTables.first(where: { $0.name == transfer.table })
    {
      count(above: [position], in: transfer.table, as: root.root.sequenceName)
    }
    if transfer.column.reference != nil { plan.checkedTables.append(transfer.table) }
  }

  /// Makes the next key of a table greater than the values in some columns: a new row's key is its default position.
  mutating func count(above columns: [String], in table: String, as sequence: String) {
    let name = migration.dialect.literal(.text(sequence))
    add(
      "INSERT INTO \(migration.sequenceTable) (entity, next) SELECT \(name), \(next(above: columns, in: table)) WHERE true "
        + keepingGreaterNumbers)
  }

  /// The expression and FROM clause for the number that follows the greatest value in some columns.
  private func next(above columns: [String], in table: String) -> String {
    let next = migration.dialect.integer(ofReal: "max(value)")
    let greatest = columns.map { "SELECT max(\(quoted($0))) AS value FROM \(tableName(table))" } + ["SELECT 0"]
    return "1 + \(next) FROM (\(greatest.joined(separator: " UNION ALL "))) AS numbers"
  }

  /// Makes the next key of a link table greater than its keys and positions. The database itself may assign the keys.
  private mutating func countPairs(of link: LinkTableMapping) {
    let columns = [LinkTableMapping.keyColumn, link.owner.positionColumn, link.target.positionColumn]
    let number = "(SELECT \(next(above: columns, in: link.name)))"
    if let numbering = migration.dialect.numbering(pairsIn: link.name, from: number) { return add(numbering) }
    count(above: columns, in: link.name, as: link.name)
  }

  /// The query for the pairs of an old relationship, with the keys that both rows have in the new tables.
  private func select(_ pairs: RelationshipPairs, as targetTable: String?, owner ownerTable: String?) -> String {
    func key(_ column: String, _ old: String, _ new: String?) -> String {
      let source = migration.oldTables.first { $0.name == old }
      let table = migration.newTables.first { $0.name == new }
      guard let source, let table, let offset = offset(from: source, to: table) else { return quoted(column) }
      return "\(quoted(column)) + \(offset)"
    }
    let columns = [
      "\(key(pairs.owner, pairs.ownerTable, ownerTable)) AS owner",
      "\(key(pairs.target, pairs.targetTable, targetTable)) AS target",
      "\(rank(pairs.targetPosition)) AS target_position",
      "\(rank(pairs.ownerPosition)) AS owner_position",
    ]
    let links = oldLinks.map(\.name)
    let table = links.contains(pairs.table) ? asideName(of: pairs.table) : currentName(of: pairs.table)
    return "SELECT \(columns.joined(separator: ", ")) FROM \(tableName(table)) "
      + "WHERE \(quoted(pairs.owner)) IS NOT NULL AND \(quoted(pairs.target)) IS NOT NULL"
  }

  /// The position of a row. If it has none, its old key is its position, because the row gets a new key.
  private func rank(_ position: String?) -> String {
    guard let position else { return migration.dialect.literal(.null, of: .value(.real)) }
    return "coalesce(\(quoted(position)), \(quoted(DatabaseMapping.keyColumn)))"
  }

  // MARK: Links

  func linkPlans() -> [LinkPlan] {
    migration.new.tables.flatMap { table in
      table.links.filter { table.isOwn($0.key) && $0.value.isDefining }.sorted { $0.key < $1.key }.compactMap {
        position, mapping -> LinkPlan? in
        guard let relationship = table.entity.relationship(at: position) else { return nil }
        let sources = sources(of: relationship, in: table.entity)
        return LinkPlan(mapping: mapping, origin: origin(of: mapping, sources), sources: sources)
      }
    }
  }

  private func origin(of mapping: LinkTableMapping, _ sources: [RelationshipPairs]) -> LinkPlan.Origin {
    guard !migration.keepsOld, sources.count == 1, let pairs = sources.first,
      let old = oldLinks.first(where: { $0.name == pairs.table }),
      pairs.owner == mapping.owner.column, old.owner.table == mapping.owner.table,
      old.target.table == mapping.target.table, !hasMoved(pairs, mapping)
    else { return .make }
    if old.name == mapping.name { return .keep }
    // The database may treat names that differ only in case as equal, including the old and new name of one table.
    let names = NameRegister(migration.dialect, taken: oldLinks.map(\.name))
    return names.isTaken(mapping.name) ? .make : .rename(old)
  }

  /// Whether the migration moves the connected rows of the pairs to other tables, or changes the keys of these rows.
  private func hasMoved(_ pairs: RelationshipPairs, _ mapping: LinkTableMapping) -> Bool {
    [(pairs.ownerTable, mapping.owner.table), (pairs.targetTable, mapping.target.table)].contains { old, new in
      guard let source = migration.oldTables.first(where: { $0.name == old }),
        let table = migration.newTables.first(where: { $0.name == new })
      else { return true }
      return offset(from: source, to: table) != nil
    }
  }

  mutating func make(_ link: LinkPlan) {
    guard case .make = link.origin else { return makeIndex(ofKept: link) }
    let name = tableName(link.mapping.name)
    add(migration.definition.link(link.mapping))
    let positions = [link.mapping.owner.positionColumn, link.mapping.target.positionColumn]
    let columns = ([link.mapping.owner.column, link.mapping.target.column] + positions).map(quoted)
    for pairs in link.sources {
      let rows = select(pairs, as: link.mapping.target.table, owner: link.mapping.owner.table)
      let insertion =
        "INSERT INTO \(name) (\(columns.joined(separator: ", "))) "
        + "SELECT owner, target, target_position, owner_position FROM (\(rows) ORDER BY 1) AS pairs WHERE true"
      add(migration.dialect.insertingMissing(insertion), rows: link.mapping.name)
    }
    countPairs(of: link.mapping)
    add(migration.definition.linkIndex(link.mapping), rows: link.mapping.name)
    if !link.sources.isEmpty { plan.checkedTables.append(link.mapping.name) }
  }

  /// Creates the index of a link table that is kept or renamed, after the old indexes were dropped.
  private mutating func makeIndex(ofKept link: LinkPlan) {
    guard !oldLinks.contains(where: link.keepsIndex) else { return }
    add(migration.definition.linkIndex(link.mapping), rows: link.mapping.name)
  }

  // MARK: Dangling references

  /// Removes references to rows that the migration deletes, and to rows that were deleted before without a delete rule.
  mutating func mend(_ table: PhysicalTable) {
    for column in table.columns {
      guard let reference = column.reference, !column.isRequired, mayDangle(column, in: table) else { continue }
      let name = quoted(column.name)
      add(
        "UPDATE \(tableName(table.name)) SET \(name) = NULL WHERE \(name) IS NOT NULL "
          + "AND \(isMissing(column.name, of: table.name, in: reference.table))", rows: table.name)
      plan.checkedTables.append(table.name)
    }
    for link in links where table.name == link.mapping.owner.table || table.name == link.mapping.target.table {
      guard losesRows(table.name) else { continue }
      let side = table.name == link.mapping.owner.table ? link.mapping.owner : link.mapping.target
      add(
        "DELETE FROM \(tableName(link.mapping.name)) WHERE "
          + isMissing(side.column, of: link.mapping.name, in: table.name), rows: link.mapping.name)
    }
  }

  /// The condition that the target table has no row with the key that the column contains. The condition does not use
  /// `NOT IN`, for which a database may read all rows each time.
  private func isMissing(_ column: String, of table: String, in target: String) -> String {
    let name = quoted(DatabaseMapping.ownPrefix + "target")
    return "NOT EXISTS (SELECT 1 FROM \(tableName(target)) AS \(name) "
      + "WHERE \(name).\(quoted(DatabaseMapping.keyColumn)) = \(quoted(table)).\(quoted(column)))"
  }

  /// Whether a column may refer to missing rows: its target table loses rows, or the old column was no foreign key.
  private func mayDangle(_ column: PhysicalColumn, in table: PhysicalTable) -> Bool {
    guard let reference = column.reference, case .value(let entity, let property, _) = column.content else {
      return false
    }
    if losesRows(reference.table) { return true }
    guard let pairs = migration.oldPairs(of: property.name, in: entity.name),
      let old = migration.oldTables.first(where: { $0.name == pairs.table })
    else { return false }
    return old.columns.contains { $0.name == pairs.target && $0.reference == nil }
  }

  /// Whether some rows of an old table are not in the new table with the same name.
  private func losesRows(_ name: String) -> Bool {
    guard let new = migration.newTables.first(where: { $0.name == name }),
      let old = migration.oldTables.first(where: { $0.name == name })
    else { return false }
    let names = Set(new.members.map(\.entity.name))
    return !old.members.allSatisfy { member in
      migration.change.newName(of: member.entity.name).map(names.contains) ?? false
    }
  }
}

/// Foreign keys in databases that separate them from columns. Such a foreign key follows a table that is renamed, and
/// can only be added when its target table exists.
extension MigrationPlanner {
  /// Drops foreign keys before tables are set aside: otherwise they would follow these tables to their new names.
  mutating func removeReferences() {
    let kept = keptReferences()
    for reference in references(in: migration.before) where !kept.contains(reference) {
      if let constraint = migration.dialect.constraint(of: reference) { add(constraint.removal) }
    }
  }

  /// Adds the foreign keys after all rows are in their tables, and after custom code has set its values.
  mutating func addReferences() {
    let kept = keptReferences()
    for reference in references(in: migration.new) where !kept.contains(reference) {
      guard let constraint = migration.dialect.constraint(of: reference) else { continue }
      let operation = MigrationOperation.refer(reference, sql: constraint.addition)
      if migration.keepsOld { plan.completion.append(operation) } else { plan.operations.append(operation) }
    }
  }

  private func references(in database: DatabaseMapping) -> [TableReference] {
    database.tables.flatMap(\.ownReferences)
  }

  /// The foreign keys that are the same before and after the migration, between tables that stay.
  private func keptReferences() -> Set<TableReference> {
    // If a table loses rows, foreign keys to it are dropped first. Otherwise the deletion would cascade, as in a save.
    Set(references(in: migration.before)).intersection(references(in: migration.new)).filter {
      stays($0.table) && stays($0.target) && !losesRows($0.target)
    }
  }

  private func stays(_ table: String) -> Bool {
    if let plan = tablePlans[table] { return !plan.isMade }
    return links.contains { link in
      if case .keep = link.origin { return link.mapping.name == table }
      return false
    }
  }
}

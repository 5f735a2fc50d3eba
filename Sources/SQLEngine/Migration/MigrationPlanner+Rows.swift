import PersistenceRuntime
import PersistenceSchemas

extension MigrationPlanner {
  // MARK: Tables

  mutating func make(_ table: PhysicalTable) {
    switch tablePlans[table.name] {
    case .alter(let alterations): alter(table, alterations)
    case .make(let groups):
      add(migration.definition.table(table.root))
      leaveUndecided(table)
      for group in groups { copy(group, into: table) }
      if !groups.isEmpty { check(table) }
    case nil: break
    }
  }

  private mutating func alter(_ table: PhysicalTable, _ alterations: [ColumnAlteration]) {
    let name = tableName(table.name)
    let movesOriginals = movesOriginals(of: table, alterations)
    if movesOriginals { putOriginalsAside(of: table.name) }
    defer {
      if movesOriginals, let old = migration.oldTables.first(where: { $0.name == table.name }) {
        takeOriginals(of: table.members.map(\.entity), from: old, into: table, source: table.name, test: nil)
        renameOriginals(from: old, in: table)
      }
    }
    removeForeignRows(from: table)
    for alteration in alterations { run(alteration, of: name, rows: table.name) }
  }

  private mutating func run(_ alteration: ColumnAlteration, of name: String, rows table: String) {
    let change = "ALTER TABLE \(name)"
    switch alteration {
    case .rename(let old, let new): add("\(change) RENAME COLUMN \(quoted(old)) TO \(quoted(new))")
    case .remove(let column): add("\(change) DROP COLUMN \(quoted(column))", rows: table)
    case .add(let column, .null): add("\(change) ADD COLUMN \(column.definition)")
    case .add(let column, let value):
      let literal = migration.dialect.defaultLiteral(value, of: column.valueType) ?? "NULL"
      add("\(change) ADD COLUMN \(column.definition) DEFAULT \(literal)")
      if let removal = migration.dialect.removal(ofDefault: column.name, in: table) { add(removal) }
    case .relax(let column): add("\(change) ALTER COLUMN \(quoted(column)) DROP NOT NULL")
    case .require(let column): add("\(change) ALTER COLUMN \(quoted(column)) SET NOT NULL", rows: table)
    case .convert(let column, let type, let value):
      add("\(change) ALTER COLUMN \(quoted(column)) TYPE \(type) USING \(value)", rows: table)
    case .fill(let column, let value):
      add("UPDATE \(name) SET \(quoted(column)) = \(value) WHERE \(quoted(column)) IS NULL", rows: table)
    }
  }

  /// In a table that stays, deletes the rows of entities that no longer belong to the class hierarchy.
  private mutating func removeForeignRows(from table: PhysicalTable) {
    let gone = entitiesThatLeft(table)
    guard !gone.isEmpty else { return }
    let test = TableMapping.test(for: gone, dialect: migration.dialect)
    add("DELETE FROM \(tableName(table.name)) WHERE \(test)", rows: table.name)
  }

  /// The old names of the entities whose rows are in the old table, but do not belong into the new table of that name.
  func entitiesThatLeft(_ table: PhysicalTable) -> [String] {
    guard let old = migration.oldTables.first(where: { $0.name == table.name }) else { return [] }
    let names = Set(table.members.map { migration.change.oldName(of: $0.entity.name) })
    return old.members.map(\.entity.name).filter { !names.contains($0) }
  }

  private mutating func copy(_ group: RowGroup, into table: PhysicalTable) {
    let key = quoted(DatabaseMapping.keyColumn)
    let offset = offset(from: group.source, to: table)
    var columns = [(name: DatabaseMapping.keyColumn, value: offset.map { "\(key) + \($0)" } ?? key)]
    for (column, source) in zip(table.columns, group.sources) {
      let value =
        column.isOriginals
        ? keptOriginals(of: group, in: table) : source.sql(migration.dialect, column.valueType)
      columns.append((name: column.name, value: value))
    }
    plan.operations.append(
      .copy(
        RowCopy(
          target: table.name, source: currentName(of: group.source.name), columns: columns,
          test: test(for: group.entities, in: group.source))))
    // One entity at a time, because the values of one old column may go to different columns of several entities.
    for entity in table.members.map(\.entity) where group.entities.contains(entity.name) {
      takeOriginals(
        of: [entity], from: group.source, into: table, source: currentName(of: group.source.name),
        test: test(for: [entity.name], in: group.source))
    }
  }

  /// The condition that selects the rows of some entities in an old table; nil if the table has no other rows.
  func test(for entities: [String], in table: PhysicalTable) -> String? {
    test(forOld: entities.map(migration.change.oldName), in: table)
  }

  /// The condition that selects rows by the old names of their entities; nil if the table has no other rows.
  private func test(forOld entities: [String], in table: PhysicalTable) -> String? {
    guard table.root.entity.inheritance != nil, !table.members.allSatisfy({ entities.contains($0.entity.name) })
    else { return nil }
    return TableMapping.test(for: entities, dialect: migration.dialect)
  }

  // MARK: Keys

  /// The old tables whose rows are moved to a new table. The table with the same name comes first.
  func sources(of table: PhysicalTable) -> [PhysicalTable] {
    let kept = table.members.map(\.entity.name).filter(migration.change.isKept)
    let entities = Set(kept.map(migration.change.oldName))
    return migration.oldTables.filter { $0.members.contains { entities.contains($0.entity.name) } }
      .sorted { first, second in
        first.name == table.name || (second.name != table.name && first.name < second.name)
      }
  }

  /// The number that is added to the keys of an old table's rows if several tables are merged; nil if none is added.
  func offset(from source: PhysicalTable, to table: PhysicalTable) -> String? {
    let before = sources(of: table).prefix { $0.name != source.name }
    guard !before.isEmpty else { return nil }
    return "(\(before.map(greatestKey).joined(separator: " + ")))"
  }

  /// An SQL expression for the greatest key that an old table ever had. The table must be set aside or renamed. A table
  /// whose rows are merged or split is always set aside.
  private func greatestKey(of table: PhysicalTable) -> String {
    let name = migration.dialect.literal(.text(table.root.sequenceName))
    let place = tablePlans[table.name]?.isMade == false ? table.name : asideName(of: table.name)
    let rows = "coalesce((SELECT max(\(quoted(DatabaseMapping.keyColumn))) FROM \(tableName(place))), 0)"
    let counted = "coalesce((SELECT next - 1 FROM \(migration.sequenceTable) WHERE entity = \(name)), 0)"
    return "(SELECT max(value) FROM (SELECT \(rows) AS value UNION ALL SELECT \(counted)) AS keys)"
  }

  /// Sets the next keys of those new tables that got another name, or rows from several old tables.
  ///
  /// It runs last, because the new keys of rows and references are computed from the old next keys. It is one
  /// statement, because a table may get the name that another table had before.
  mutating func countKeys() {
    let numbers = migration.newTables.compactMap(nextKey)
    guard !numbers.isEmpty else { return }
    add(
      "INSERT INTO \(migration.sequenceTable) (entity, next) \(numbers.joined(separator: " UNION ALL ")) "
        + keepingGreaterNumbers)
  }

  /// Selects the name and the next key of a table; nil if both are unchanged.
  private func nextKey(of table: PhysicalTable) -> String? {
    let sources = sources(of: table)
    guard !sources.isEmpty, sources.map(\.root.sequenceName) != [table.root.sequenceName] else { return nil }
    let name = migration.dialect.literal(.text(table.root.sequenceName))
    return "SELECT \(name), 1 + \(sources.map(greatestKey).joined(separator: " + ")) WHERE true"
  }

  /// The conflict clause of an insertion into the table of next keys: the greater of two keys is kept.
  var keepingGreaterNumbers: String {
    "ON CONFLICT (entity) DO UPDATE SET next = CASE WHEN excluded.next > \(migration.sequenceTable).next "
      + "THEN excluded.next ELSE \(migration.sequenceTable).next END"
  }

  // MARK: Values that differ per row

  /// Sets properties whose default differs for each row, and encodes external and encrypted values again.
  mutating func fill(_ table: PhysicalTable) {
    let members = table.members.filter { migration.change.isKept($0.entity.name) }
    for member in members {
      for property in values(of: member.entity) where !isVolatile(property, in: member.entity) {
        guard let column = member.columns(of: property.position).first else { continue }
        reseal(property, column, of: member.entity, in: table, test(for: member.entity))
      }
    }
    decide(table)
    for member in members {
      for property in values(of: member.entity) {
        let columns = member.columns(of: property.position)
        if isVolatile(property, in: member.entity) {
          fill(property, columns, of: member.entity, in: table, test(for: member.entity))
        } else if let lacking = lackedBefore(property, in: member.entity, table) {
          fill(property, columns, of: member.entity, in: table, lacking)
        }
      }
    }
  }

  private func values(of entity: EntityLayout) -> [PropertyLayout] {
    entity.properties.filter { !$0.columns.isEmpty && !$0.isRelationship }
  }

  /// The condition that selects the rows of an entity in its new table; nil if the table has no other rows.
  private func test(for entity: EntityLayout) -> String? {
    entity.inheritance == nil ? nil : TableMapping.test(for: [entity.name], dialect: migration.dialect)
  }

  private mutating func fill(
    _ property: PropertyLayout, _ columns: ArraySlice<ColumnMapping>, of entity: EntityLayout, in table: PhysicalTable,
    _ test: String?
  ) {
    let fill = RowFill(
      table: table.name, columns: columns.map { (name: $0.name, type: SQLParameterType($0)) }, test: test,
      entity: entity, property: property, schema: migration.change.new)
    plan.operations.append(.fill(fill))
  }

  /// The condition that selects the rows that had no value for a property. Nil unless the property became required and
  /// its default differs for each object.
  private func lackedBefore(_ property: PropertyLayout, in entity: EntityLayout, _ table: PhysicalTable) -> String? {
    guard !property.isOptional, migration.change.isDefaultVolatile(property.name, in: entity.name),
      property.columns.count == 1, property.columns.first?.format != .real,
      let (mapping, old) = migration.oldProperty(property.name, in: entity.name), old.isOptional,
      let column = mapping.columns(of: old.position).first, let source = migration.oldTable(of: entity.name)
    else { return nil }
    let key = quoted(DatabaseMapping.keyColumn)
    let rows = [test(for: [entity.name], in: source), "\(quoted(column.name)) IS NULL"].compactMap { $0 }
    let keys = offset(from: source, to: table).map { "\(key) + \($0)" } ?? key
    return "\(key) IN (SELECT \(keys) FROM \(tableName(currentName(of: source.name))) "
      + "WHERE \(rows.joined(separator: " AND ")))"
  }

  /// Whether a property is new and its default differs for each object. False for dates: all rows get the same date.
  func isVolatile(_ property: PropertyLayout, in entity: EntityLayout) -> Bool {
    migration.change.isDefaultVolatile(property.name, in: entity.name) && property.columns.first?.format != .real
      && migration.oldProperty(property.name, in: entity.name).map { $0.1.columns.isEmpty } != false
  }

  /// The old version of a property whose external or encrypted values have to be encoded again; nil for none.
  func changedOutOfRowValue(of property: PropertyLayout, in entity: String) -> PropertyLayout? {
    // If the property was not stored before, its column already has the default in the new form.
    guard let old = migration.oldProperty(property.name, in: entity)?.1, !old.columns.isEmpty,
      !migration.change.losesValue(at: [property.name], in: entity)
    else { return nil }
    let leavesFiles = old.outOfRowValue?.isExternal == true && property.outOfRowValue?.isExternal != true
    guard isSealed(old, property) else { return leavesFiles ? old : nil }
    let isWidened = widenedFormat(of: property, from: old, in: entity) != nil
    return isWidened || old.outOfRowValue != property.outOfRowValue ? old : nil
  }

  private func isSealed(_ old: PropertyLayout, _ new: PropertyLayout) -> Bool {
    old.outOfRowValue?.isEncrypted == true || new.outOfRowValue?.isEncrypted == true
  }

  /// The format to which the integers of the old property are converted; nil if they stay unchanged.
  func widenedFormat(
    of property: PropertyLayout, from old: PropertyLayout, in entity: String
  ) -> ColumnFormat? {
    let before = migration.change.oldForm(of: old.name, in: entity)?.valueFormat
    let after = migration.change.newForm(of: property.name, in: entity)?.valueFormat
    return before == .integer && (after == .real || after == .decimal) ? after : nil
  }

  /// The columns of old tables with external values to which no row refers after the migration.
  func lostValues() -> [DatabaseMigration.LostValues] {
    migration.oldTables.flatMap { table in
      table.members.flatMap { member in
        member.entity.properties.filter { $0.outOfRowValue?.isExternal == true && !isKept($0, in: member.entity.name) }
          .compactMap { property -> DatabaseMigration.LostValues? in
            let column = member.columns(of: property.position).first
            return column.map {
              DatabaseMigration.LostValues(
                table: table.name, column: $0.name, test: test(forOld: [member.entity.name], in: table))
            }
          }
      }
    }
  }

  private func isKept(_ property: PropertyLayout, in oldEntity: String) -> Bool {
    guard let entity = migration.change.newName(of: oldEntity), migration.change.isKept(entity),
      let table = migration.new.table(named: entity)
    else { return false }
    return table.entity.properties.contains { candidate in
      !candidate.columns.isEmpty && migration.change.source(of: candidate.name, in: entity) == property.name
        && !migration.change.losesValue(at: [candidate.name], in: entity)
    }
  }

  // MARK: Checks

  mutating func check(_ table: PhysicalTable) {
    guard table.columns.contains(where: { $0.reference != nil }) else { return }
    plan.checkedTables.append(table.name)
  }
}

import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

extension MigrationPlanner {
  /// The rows of old tables that are moved to a new table, grouped by where their columns get their values.
  func rowGroups(of table: PhysicalTable) -> [RowGroup] {
    var groups: [RowGroup] = []
    for member in table.members where migration.change.isKept(member.entity.name) {
      guard let source = migration.oldTable(of: member.entity.name) else { continue }
      let sources = table.columns.map { self.source(of: $0, for: member.entity, in: table, from: source) }
      if let last = groups.indices.last, groups[last].source.name == source.name,
        let merged = merged(groups[last], sources, member.entity, table)
      {
        groups[last].entities.append(member.entity.name)
        groups[last].sources = merged
      } else {
        groups.append(RowGroup(source: source, entities: [member.entity.name], sources: sources))
      }
    }
    return groups
  }

  /// Combines the column sources of a group of rows and of another entity; nil if the two contradict each other.
  private func merged(
    _ group: RowGroup, _ sources: [ColumnSource], _ entity: EntityLayout, _ table: PhysicalTable
  ) -> [ColumnSource]? {
    var result = group.sources
    for (index, column) in table.columns.enumerated() where result[index] != sources[index] {
      let before = table.members.map(\.entity).filter { group.entities.contains($0.name) }
      if !before.contains(where: column.concerns) {
        result[index] = sources[index]
      } else if column.concerns(entity) {
        return nil
      }
    }
    return result
  }

  /// Where a column gets its values in the rows of an entity.
  func source(
    of column: PhysicalColumn, for entity: EntityLayout, in table: PhysicalTable, from source: PhysicalTable
  ) -> ColumnSource {
    let found = decidedSource(of: column, for: entity, in: table, from: source)
    guard isUndecided(column, in: table), case .value(_, let property, _) = column.content else { return found }
    let old = migration.oldProperty(property.name, in: entity.name)?.1
    return undecided(found, isEncrypted: old?.outOfRowValue?.isEncrypted == true, column)
  }

  /// Where the column gets its values, if it does not temporarily contain bytes (``isUndecided(_:in:)``).
  private func decidedSource(
    of column: PhysicalColumn, for entity: EntityLayout, in table: PhysicalTable, from source: PhysicalTable
  ) -> ColumnSource {
    guard column.concerns(entity) else { return .constant(.null) }
    switch column.content {
    case .originals: return .column(DatabaseMapping.originalsColumn)
    case .entityName:
      guard source.root.entity.inheritance != nil, !migration.change.isRenamed(entity.name) else {
        return .constant(.text(StoredText.form(of: entity.name)))
      }
      return .column(DatabaseMapping.entityColumn)
    case .position(_, let relationship):
      guard let (old, property) = migration.oldProperty(relationship, in: entity.name),
        !migration.change.losesValue(at: [relationship], in: entity.name),
        let name = old.positionColumns[property.position]
      else { return .constant(.null) }
      return .column(name)
    case .value(_, let property, let path):
      if property.isRelationship { return reference(property, column, of: entity) }
      return value(of: property, path, column, for: entity)
    }
  }

  private func value(
    of property: PropertyLayout, _ path: [String], _ column: PhysicalColumn, for entity: EntityLayout
  ) -> ColumnSource {
    let standard = migration.standard(path, of: property, in: entity.name)
    guard let (table, old) = migration.oldProperty(property.name, in: entity.name), !old.columns.isEmpty,
      let oldForm = migration.change.oldForm(of: old.name, in: entity.name),
      let newForm = migration.change.newForm(of: property.name, in: entity.name)
    else { return .constant(standard ?? .null) }
    // External and encrypted values are copied unchanged. A later step encodes them again.
    let isEncrypted = old.outOfRowValue?.isEncrypted == true || property.outOfRowValue?.isEncrypted == true
    let expressions = SourceExpressions(
      old: oldForm, new: newForm,
      oldColumn: { path in
        let column = migration.oldColumn(path, of: old, in: table)
        return column.map { ($0.name, isEncrypted ? .blob : $0.format) }
      }, standard: { migration.standard($0, of: property, in: entity.name) }, dialect: migration.dialect,
      losesValue: { migration.change.losesValue(at: $0, in: entity.name) }, oldName: old.name)
    let found = expressions.source(of: path, type: column.valueType)
    guard property.outOfRowValue?.isEncrypted == true, old.outOfRowValue?.isEncrypted != true else { return found }
    return sealing(found, from: migration.oldColumn([old.name] + path.dropFirst(), of: old, in: table), column)
  }

  // MARK: Whether a table can stay

  /// Decides whether a new table is created, or is the altered old table with the same name.
  func tablePlan(of table: PhysicalTable) -> TablePlan {
    let groups = rowGroups(of: table)
    guard !migration.keepsOld, groups.count == 1, let group = groups.first, group.source.name == table.name,
      soleUser(of: group.source) == table.name, let alterations = alterations(of: table, group)
    else { return .make(groups) }
    return .alter(alterations)
  }

  /// The only new table that gets rows of an old table; nil if there are several.
  private func soleUser(of source: PhysicalTable) -> String? {
    let users = migration.newTables.filter { table in
      table.members.contains { member in
        let old = migration.change.oldName(of: member.entity.name)
        return migration.change.isKept(member.entity.name) && source.members.contains { $0.entity.name == old }
      }
    }
    return users.count == 1 ? users[0].name : nil
  }

  /// The changes of columns that turn an old table into the new one; nil if the table has to be recreated.
  private func alterations(of table: PhysicalTable, _ group: RowGroup) -> [ColumnAlteration]? {
    let before = Dictionary(group.source.columns.map { ($0.name, $0) }) { first, _ in first }
    var unused = group.source.columns.map(\.name)
    var additions: [ColumnAlteration] = []
    var renamings: [ColumnAlteration] = []
    var changes: [ColumnAlteration] = []
    for (column, source) in zip(table.columns, group.sources) {
      switch source {
      case .expression: return nil
      case .constant(let value):
        guard let addition = addition(of: column, value) else { return nil }
        additions.append(addition)
      case .column(let name), .filled(let name, _), .converted(let name, _):
        guard let old = before[name], let index = unused.firstIndex(of: name),
          let own = self.changes(of: old, to: column, source)
        else { return nil }
        unused.remove(at: index)
        changes += own
        if name != column.name { renamings.append(.rename(name, to: column.name)) }
      }
    }
    let removals = unused.compactMap { before[$0] }
    guard mayRemove(removals), !isRead(group.source) || (removals.isEmpty && changes.isEmpty),
      isFree(table, before, renamings + additions)
    else { return nil }
    // Other changes precede renamings, because they compute values from columns under the old names.
    return removals.map { .remove($0.name) } + changes + renamings + additions
  }

  /// Whether these columns can be dropped from a table that stays.
  private func mayRemove(_ columns: [PhysicalColumn]) -> Bool {
    // Without `altersColumns`, copying the table is faster than dropping several columns, and foreign keys must stay.
    migration.dialect.altersColumns || (columns.count <= 1 && columns.allSatisfy { $0.reference == nil })
  }

  /// The changes that turn an old column into a new one, without renaming it; nil if the table has to be recreated.
  private func changes(
    of old: PhysicalColumn, to new: PhysicalColumn, _ source: ColumnSource
  ) -> [ColumnAlteration]? {
    if case .column = source, isSame(old, new) { return [] }
    guard migration.dialect.altersColumns else { return nil }
    var changes: [ColumnAlteration] = []
    switch source {
    case .column:
      guard old.format == new.format else { return nil }
      if old.type != new.type { changes.append(.convert(old.name, to: new.type, quoted(old.name))) }
    case .converted(_, let sql): changes.append(.convert(old.name, to: new.type, sql))
    case .filled(_, let value):
      // If later steps query which rows had no value, they need the unchanged old table, so the table is recreated.
      guard old.format == new.format, old.type == new.type, !asksForMissing(new) else { return nil }
      changes.append(.fill(old.name, migration.dialect.literal(value, of: new.valueType)))
    case .constant, .expression: return nil
    }
    if old.isRequired, !new.isRequired { changes.append(.relax(old.name)) }
    if !old.isRequired, new.isRequired { changes.append(.require(old.name)) }
    return changes
  }

  /// Whether later steps need to know which rows had no value in a column, because its default has an original or
  /// differs for each row.
  private func asksForMissing(_ column: PhysicalColumn) -> Bool {
    guard case .value(let owner, let property, _) = column.content else { return false }
    return migration.new.tables.map(\.entity).filter { column.concerns($0) || $0.name == owner.name }.contains {
      migration.defaults.originals[$0.name]?[property.name] != nil
        || migration.change.isDefaultVolatile(property.name, in: $0.name)
    }
  }

  private func isSame(_ old: PhysicalColumn, _ new: PhysicalColumn) -> Bool {
    old.format == new.format && old.type == new.type && old.isRequired == new.isRequired
      && (old.reference == new.reference || migration.dialect.altersColumns)
  }

  private func addition(of column: PhysicalColumn, _ value: StoredValue) -> ColumnAlteration? {
    if value == .null { return column.isRequired ? nil : .add(column, value: value) }
    guard column.reference == nil, migration.dialect.defaultLiteral(value, of: column.valueType) != nil else {
      return nil
    }
    return .add(column, value: value)
  }

  /// Whether the new column names are free in the old table.
  private func isFree(
    _ table: PhysicalTable, _ before: [String: PhysicalColumn], _ alterations: [ColumnAlteration]
  ) -> Bool {
    let names = NameRegister(migration.dialect, taken: Array(before.keys))
    return alterations.allSatisfy { alteration in
      switch alteration {
      case .rename(_, let name): !names.isTaken(name)
      case .add(let column, _): !names.isTaken(column.name)
      case .remove, .relax, .require, .convert, .fill: true
      }
    }
  }
}

/// How a table of the new schema is created.
enum TablePlan {
  /// The old table with the same name is altered.
  case alter([ColumnAlteration])
  /// A new table is created, and filled with rows of old tables.
  case make([RowGroup])

  var isMade: Bool {
    if case .make = self { return true }
    return false
  }
}

/// A change of a column in a table that stays.
enum ColumnAlteration {
  case add(PhysicalColumn, value: StoredValue)
  case rename(String, to: String)
  case remove(String)
  /// Drops NOT NULL.
  case relax(String)
  /// Sets NOT NULL.
  case require(String)
  /// Changes the type of the column, and converts its values with an SQL expression.
  case convert(String, to: String, String)
  /// Replaces NULL with the value of an SQL expression.
  case fill(String, String)
}

/// Rows of one old table that are moved to a new table, and whose columns get their values in the same way.
struct RowGroup {
  let source: PhysicalTable
  /// The names of the entities to which the rows belong.
  var entities: [String]
  /// Where each column of the new table gets its values, in the order of the columns.
  var sources: [ColumnSource]
}

/// A spatial index is a separate table, which triggers keep up to date with the table of the entity.
extension MigrationPlanner {
  /// The spatial indexes that stay, because their table stays and only gets more columns.
  private func keptSpatialIndexes(of table: PhysicalTable) -> Set<SpatialIndexMapping> {
    guard case .alter(let alterations) = tablePlans[table.name], alterations.allSatisfy(\.isAddition),
      let old = migration.oldTables.first(where: { $0.name == table.name })
    else { return [] }
    return Set(old.spatialIndexes).intersection(table.spatialIndexes)
  }

  /// Runs before tables are set aside. Triggers would follow a renamed table, and block their names for new triggers.
  mutating func dropSpatialIndexes() {
    let kept = migration.newTables.reduce(into: Set<SpatialIndexMapping>()) {
      $0.formUnion(keptSpatialIndexes(of: $1))
    }
    for index in migration.oldTables.flatMap(\.spatialIndexes) where !kept.contains(index) {
      for sql in migration.dialect.removal(of: index) { add(sql) }
    }
  }

  /// Runs after all rows are in their tables, because filling an index at once is faster than updating it for each row.
  mutating func makeSpatialIndexes(of table: PhysicalTable) {
    let kept = keptSpatialIndexes(of: table)
    for index in table.spatialIndexes where !kept.contains(index) {
      for sql in migration.dialect.spatialIndex(index) { add(sql) }
      add(migration.dialect.contents(of: index), rows: table.name)
    }
  }
}

extension ColumnAlteration {
  var isAddition: Bool {
    if case .add = self { return true }
    return false
  }
}

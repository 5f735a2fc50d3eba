import Foundation
import PersistenceRuntime
import PersistenceSchemas

// Originals are exact values whose stored form differs. When a value moves to another table, key or column, its
// original moves too. If originals are in a column of their row, only the column names in it are changed.

extension MigrationPlanner {
  /// Assigns the originals of an old table to the name that it has while set aside. Custom stages find them there.
  mutating func putOriginalsAside(of table: String) {
    guard migration.dialect.originalsColumn == nil else { return }
    plan.operations.append(.originals(originals.rename(table, to: asideName(of: table))))
    tablesWithOriginalsAside.append(table)
  }

  /// Assigns the originals of an old table to the new name of the table.
  mutating func renameOriginals(of table: String, to name: String) {
    guard migration.dialect.originalsColumn == nil else { return }
    plan.operations.append(.originals(originals.rename(table, to: name)))
  }

  /// Whether originals have to be set aside although the table stays, because it loses columns or rows.
  func movesOriginals(of table: PhysicalTable, _ alterations: [ColumnAlteration]) -> Bool {
    alterations.contains { !$0.isAddition } || !entitiesThatLeft(table).isEmpty
  }

  /// Copies originals from an old table to a new table, for the values that the rows keep.
  ///
  /// - Parameters:
  ///   - entities: The entities of the rows.
  ///   - source: The name that the table with the rows has now.
  ///   - test: The condition that selects the rows; nil for all rows.
  mutating func takeOriginals(
    of entities: [EntityLayout], from old: PhysicalTable, into table: PhysicalTable, source: String, test: String?
  ) {
    guard migration.dialect.originalsColumn == nil else { return }
    let columns = keptColumns(of: entities, in: table)
    guard !columns.isEmpty else { return }
    let rows =
      "SELECT \(quoted(DatabaseMapping.keyColumn)) FROM \(tableName(source))" + (test.map { " WHERE \($0)" } ?? "")
    plan.operations.append(
      .originals(
        originals.take(
          columns, from: asideName(of: old.name), into: table.name, rows: rows,
          offset: offset(from: old, to: table))))
  }

  /// The old and new names of the columns of a new table whose values come from old columns with possible originals.
  private func keptColumns(of entities: [EntityLayout], in table: PhysicalTable) -> [(old: String, new: String)] {
    table.columns.compactMap { column -> (old: String, new: String)? in
      guard case .value(_, let property, let path) = column.content, !property.isRelationship,
        let entity = entities.first(where: column.concerns),
        let source = oldColumn(of: property, path, in: entity), source.mayHaveOriginals
      else { return nil }
      return (source.name, column.name)
    }
  }

  /// The content of the originals column for rows that are copied into a new table.
  func keptOriginals(of group: RowGroup, in table: PhysicalTable) -> String {
    let entities = table.members.map(\.entity).filter { group.entities.contains($0.name) }
    return keptOriginals(of: entities, from: group.source, in: table) ?? quoted(DatabaseMapping.originalsColumn)
  }

  /// In a table that stays, renames originals with their columns, and removes the originals of dropped columns.
  mutating func renameOriginals(from old: PhysicalTable, in table: PhysicalTable) {
    guard let value = keptOriginals(of: table.members.map(\.entity), from: old, in: table) else { return }
    let column = quoted(DatabaseMapping.originalsColumn)
    plan.operations.append(
      .originals("UPDATE \(tableName(table.name)) SET \(column) = \(value) WHERE \(column) IS NOT NULL"))
  }

  /// The new content of the originals column; nil if it stays unchanged, or if the dialect has no such column.
  private func keptOriginals(of entities: [EntityLayout], from old: PhysicalTable, in table: PhysicalTable) -> String? {
    guard let writer = migration.dialect.originalsColumn else { return nil }
    // Handles each entity separately, because the values of one old column may go to different columns of several
    // entities. A row has only the originals of its own entity.
    var columns: [(old: String, new: String)] = []
    for entity in entities {
      for kept in keptColumns(of: [entity], in: table) where !columns.contains(where: { $0 == kept }) {
        columns.append(kept)
      }
    }
    let names = Set(columns.filter { $0.old == $0.new }.map(\.old))
    let isAsBefore =
      names.count == columns.count && old.columns.allSatisfy { !$0.mayHaveOriginals || names.contains($0.name) }
    return isAsBefore ? nil : writer.renamed(columns)
  }

  /// If a default differs from its stored form, stores its original for each row that has got the default.
  mutating func storeDefaultOriginals(of table: PhysicalTable) {
    for member in table.members where migration.change.isKept(member.entity.name) {
      let originals = migration.defaults.originals[member.entity.name] ?? [:]
      for (name, texts) in originals.sorted(by: { $0.key < $1.key }) {
        guard let property = member.entity.property(named: name), !isVolatile(property, in: member.entity) else {
          continue
        }
        for (index, original) in texts.sorted(by: { $0.key < $1.key }) {
          storeDefaultOriginal(original, ofColumn: index, of: property, in: member, table)
        }
      }
    }
  }

  private mutating func storeDefaultOriginal(
    _ original: String, ofColumn index: Int, of property: PropertyLayout, in member: TableMapping,
    _ table: PhysicalTable
  ) {
    guard property.columns.indices.contains(index), let source = migration.oldTable(of: member.entity.name),
      let mapping = member.columns(of: property.position).dropFirst(index).first,
      let column = table.columns.first(where: { $0.name == mapping.name }),
      let standard = migration.standard(property.columns[index].path, of: property, in: member.entity.name)
    else { return }
    let form = migration.dialect.literal(standard, of: SQLParameterType(mapping))
    let isHierarchy = member.entity.inheritance != nil
    var tests = isHierarchy ? [TableMapping.test(for: [member.entity.name], dialect: migration.dialect)] : []
    tests.append("\(quoted(mapping.name)) = \(form)")
    switch self.source(of: column, for: member.entity, in: table, from: source) {
    case .column: return
    case .constant: break
    case .filled, .converted, .expression:
      if let old = oldColumn(of: property, property.columns[index].path, in: member.entity) {
        // An old encrypted value never equals a plain default, so only rows without a value have got the default.
        let isOpened = old.format == .blob && mapping.format != .blob
        tests.append(rows(of: source, whose: old, isNot: isOpened ? nil : form, in: table))
      }
    }
    let test = tests.joined(separator: " AND ")
    let sql =
      migration.dialect.originalsColumn.map { writer in
        "UPDATE \(tableName(table.name)) SET \(quoted(DatabaseMapping.originalsColumn)) = "
          + "\(writer.adding(original, of: mapping.name)) WHERE \(test)"
      } ?? originals.store(original, ofColumn: mapping.name, in: table.name, rows: test)
    plan.operations.append(.defaultOriginals(sql, rows: table.name))
  }

  /// The condition that the old value of a row differs from `form`; if `form` is nil, that the old value was NULL.
  private func rows(
    of source: PhysicalTable, whose column: ColumnMapping, isNot form: String?, in table: PhysicalTable
  ) -> String {
    let key = quoted(DatabaseMapping.keyColumn)
    let keys = offset(from: source, to: table).map { "\(key) + \($0)" } ?? key
    let name = quoted(column.name)
    let differs = form.map { migration.dialect.isDifferent(name, $0) } ?? "\(name) IS NULL"
    return "\(key) IN (SELECT \(keys) FROM \(tableName(currentName(of: source.name))) WHERE \(differs))"
  }

  /// Removes the originals that were set aside, when the old tables are no longer needed.
  mutating func removeOriginalsAside() {
    guard !tablesWithOriginalsAside.isEmpty else { return }
    plan.completion.append(.originals(originals.removeAll(of: tablesWithOriginalsAside.map(asideName))))
  }

  private var originals: OriginalStatements { OriginalStatements(dialect: migration.dialect) }

  /// The old column from which a new column gets its values; nil if the values are not kept.
  private func oldColumn(of property: PropertyLayout, _ path: [String], in entity: EntityLayout) -> ColumnMapping? {
    guard let (mapping, old) = migration.oldProperty(property.name, in: entity.name),
      !migration.change.losesValue(at: path, in: entity.name)
    else { return nil }
    return migration.oldColumn([old.name] + path.dropFirst(), of: old, in: mapping)
  }
}

extension OriginalStatements {
  /// The statement that assigns all originals of one table name to another table name.
  fileprivate func rename(_ old: String, to new: String) -> String {
    "UPDATE \(name) SET \(table) = \(text(new)) WHERE \(table) = \(text(old))"
  }

  fileprivate func removeAll(of tables: [String]) -> String {
    "DELETE FROM \(name) WHERE \(table) IN (\(tables.map(text).joined(separator: ", ")))"
  }

  /// - Parameters:
  ///   - columns: The old and new column names.
  ///   - rows: The query for the keys of the rows in the old table.
  ///   - offset: The expression that is added to the keys; nil if the keys stay unchanged.
  fileprivate func take(
    _ columns: [(old: String, new: String)], from old: String, into new: String, rows: String, offset: String?
  ) -> String {
    let names = columns.map { "WHEN \(text($0.old)) THEN \(text($0.new))" }.joined(separator: " ")
    return "INSERT INTO \(name) (\(table), \(key), \(column), \(original)) "
      + "SELECT \(text(new)), \(key)\(offset.map { " + \($0)" } ?? ""), CASE \(column) \(names) END, \(original) "
      + "FROM \(name) WHERE \(table) = \(text(old)) AND \(isColumn(in: columns.map(\.old))) AND \(key) IN (\(rows))"
  }

  /// The statement that stores the same original for a column of all rows that satisfy a condition.
  fileprivate func store(_ value: String, ofColumn name: String, in table: String, rows test: String) -> String {
    let rowKey = dialect.quoted(DatabaseMapping.keyColumn)
    return "INSERT INTO \(self.name) (\(self.table), \(key), \(column), \(original)) "
      + "SELECT \(text(table)), \(rowKey), \(text(name)), \(literal(ofOriginal: value)) "
      + "FROM \(dialect.table(table)) WHERE \(test) "
      + "ON CONFLICT (\(self.table), \(key), \(column)) DO UPDATE SET \(original) = excluded.\(original)"
  }

  private func text(_ name: String) -> String { dialect.literal(.text(name)) }

  private func literal(ofOriginal text: String) -> String {
    // As a blob, because other programs would truncate the text at U+0000.
    dialect.literal(text.utf8.contains(0) ? .blob(Data(text.utf8)) : .text(text))
  }
}

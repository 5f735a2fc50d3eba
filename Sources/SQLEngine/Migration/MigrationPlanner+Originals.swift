import PersistenceRuntime

// Originals go with their values: to the key and the column that these get, under the name of their new table.

extension MigrationPlanner {
  /// Keeps the originals of an old table under the name with which it is put aside, where the code of stages finds them.
  mutating func putOriginalsAside(of table: String) {
    plan.operations.append(.originals(originals.rename(table, to: asideName(of: table))))
    tablesWithOriginalsAside.append(table)
  }

  /// Whether the originals of a table that stays have to be put aside: some of its columns or rows do not stay.
  func movesOriginals(of table: PhysicalTable, _ alterations: [ColumnAlteration]) -> Bool {
    alterations.contains { !$0.isAddition } || !entitiesThatLeft(table).isEmpty
  }

  /// Gives the rows of an old table that get into a new one the originals of the values that they keep.
  ///
  /// - Parameters:
  ///   - entities: The entities of the rows.
  ///   - source: The name that the table with the rows has.
  ///   - test: Which rows; nil for all.
  mutating func takeOriginals(
    of entities: [EntityLayout], from old: PhysicalTable, into table: PhysicalTable, source: String, test: String?
  ) {
    let columns = table.columns.compactMap { column -> (old: String, new: String)? in
      guard case .value(_, let property, let path) = column.content, !property.isRelationship,
        let entity = entities.first(where: column.concerns),
        let source = oldColumn(of: property, path, in: entity), source.format == .text || source.format == .real
      else { return nil }
      return (source.name, column.name)
    }
    guard !columns.isEmpty else { return }
    let rows =
      "SELECT \(quoted(DatabaseMapping.keyColumn)) FROM \(tableName(source))" + (test.map { " WHERE \($0)" } ?? "")
    plan.operations.append(
      .originals(
        originals.take(
          columns, from: asideName(of: old.name), into: table.name, rows: rows,
          offset: offset(from: old, to: table))))
  }

  /// Removes the originals of old tables, when these are not needed any more.
  mutating func removeOriginalsAside() {
    guard !tablesWithOriginalsAside.isEmpty else { return }
    plan.completion.append(.originals(originals.removeAll(of: tablesWithOriginalsAside.map(asideName))))
  }

  private var originals: OriginalStatements { OriginalStatements(dialect: migration.dialect) }

  /// The column from which a value comes; nil when it begins anew.
  private func oldColumn(of property: PropertyLayout, _ path: [String], in entity: EntityLayout) -> ColumnMapping? {
    guard let (mapping, old) = migration.oldProperty(property.name, in: entity.name),
      !migration.change.losesValue(at: path, in: entity.name)
    else { return nil }
    return migration.oldColumn([old.name] + path.dropFirst(), of: old, in: mapping)
  }
}

extension OriginalStatements {
  /// Gives the originals of a table those of another name.
  fileprivate func rename(_ old: String, to new: String) -> String {
    "UPDATE \(name) SET \(table) = \(text(new)) WHERE \(table) = \(text(old))"
  }

  fileprivate func removeAll(of tables: [String]) -> String {
    "DELETE FROM \(name) WHERE \(table) IN (\(tables.map(text).joined(separator: ", ")))"
  }

  /// - Parameters:
  ///   - columns: The columns of both tables.
  ///   - rows: Selects the keys of the rows in the old table.
  ///   - offset: What is added to the keys; nil for nothing.
  fileprivate func take(
    _ columns: [(old: String, new: String)], from old: String, into new: String, rows: String, offset: String?
  ) -> String {
    let names = columns.map { "WHEN \(text($0.old)) THEN \(text($0.new))" }.joined(separator: " ")
    return "INSERT INTO \(name) (\(table), \(key), \(column), \(original)) "
      + "SELECT \(text(new)), \(key)\(offset.map { " + \($0)" } ?? ""), CASE \(column) \(names) END, \(original) "
      + "FROM \(name) WHERE \(table) = \(text(old)) AND \(isColumn(in: columns.map(\.old))) AND \(key) IN (\(rows))"
  }

  private func text(_ name: String) -> String { dialect.literal(.text(name)) }
}

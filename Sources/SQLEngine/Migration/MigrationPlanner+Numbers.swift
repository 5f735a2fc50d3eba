import PersistenceRuntime

extension MigrationPlanner {
  /// A column of integers in an old table.
  private struct WholeNumbers: Hashable {
    let table: String
    let column: String
  }

  /// Fails the migration if a property becomes a floating-point number, and an integer would be rounded.
  mutating func refuseInexactNumbers() {
    for table in migration.newTables {
      for column in table.columns where column.format == .real {
        for found in inexactNumbers(of: column, in: table) { plan.operations.append(.refuse(found)) }
      }
    }
  }

  /// Finds integers that a column would round. They come from several tables if entities get a common superclass.
  private func inexactNumbers(of column: PhysicalColumn, in table: PhysicalTable) -> [RowRefusal] {
    guard case .value(_, let property, let path) = column.content else { return [] }
    let entities = table.members.map(\.entity).filter { column.concerns($0) && migration.change.isKept($0.name) }
    let sources = Dictionary(grouping: entities) { wholeNumbers(of: property, path, in: $0) }
    let refusals = sources.compactMap { source, entities in
      source.flatMap { refusal(of: $0, path, in: entities) }
    }
    return refusals.sorted { $0.query < $1.query }
  }

  private func wholeNumbers(
    of property: PropertyLayout, _ path: [String], in entity: EntityLayout
  ) -> WholeNumbers? {
    guard let (mapping, old) = migration.oldProperty(property.name, in: entity.name),
      let source = migration.oldColumn([old.name] + path.dropFirst(), of: old, in: mapping),
      source.format == .integer, !migration.change.losesValue(at: path, in: entity.name),
      let table = migration.oldTable(of: entity.name)
    else { return nil }
    return WholeNumbers(table: table.name, column: source.name)
  }

  private func refusal(
    of numbers: WholeNumbers, _ path: [String], in entities: [EntityLayout]
  ) -> RowRefusal? {
    guard let entity = entities.first, let table = migration.oldTable(of: entity.name) else { return nil }
    let name = quoted(numbers.column)
    let isRounded = migration.dialect.isRounded(asReal: name)
    let tests = [test(for: entities.map(\.name), in: table), isRounded].compactMap { $0 }
    return RowRefusal(
      query: "SELECT \(quoted(DatabaseMapping.keyColumn)), \(name) FROM \(tableName(numbers.table)) "
        + "WHERE \(tests.joined(separator: " AND ")) \(fewRows)",
      message: "\(entity.name).\(path.joined(separator: ".")) became a floating-point number, which would round "
        + "what these rows have: %. Round them in willMigrate of a .custom stage first.")
  }
}

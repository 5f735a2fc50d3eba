import PersistenceRuntime
import PersistenceSchemas

extension MigrationPlanner {
  /// Fails the migration if there are rows that it cannot migrate without custom code. The code of an earlier stage
  /// should have deleted these rows or set their values.
  mutating func refuseObstacles() {
    guard !migration.keepsOld else { return }
    for obstacle in migration.change.obstacles {
      let refusal = obstacle.isOfMissingValues ? missingValues(obstacle) : remainingRows(obstacle)
      if let refusal { plan.operations.append(.refuse(refusal)) }
    }
  }

  /// Fails the migration if rows have no value for a property that has become required.
  private func missingValues(_ obstacle: MigrationObstacle) -> RowRefusal? {
    missingValues(of: obstacle.property, in: obstacle.entity).map {
      RowRefusal(
        query: $0,
        message: "\(obstacle.entity).\(obstacle.property) became required, and these rows have no value: %. "
          + "Set it in willMigrate of a .custom stage.")
    }
  }

  /// Fails the migration if the entity or its subentities have any rows.
  private func remainingRows(_ obstacle: MigrationObstacle) -> RowRefusal? {
    guard let table = migration.oldTable(of: obstacle.entity) else { return nil }
    let test = test(for: family(of: obstacle.entity), in: table).map { " WHERE \($0)" } ?? ""
    let name = migration.dialect.literal(.text(obstacle.entity))
    return RowRefusal(
      query: "SELECT \(quoted(DatabaseMapping.keyColumn)), \(name) FROM \(tableName(table.name))\(test) \(fewRows)",
      message:
        "\(obstacle.entity).\(obstacle.property): \(obstacle.reason) These objects are there after willMigrate: %. "
        + "Delete them there, or: \(obstacle.remedy)")
  }

  /// The query for rows of an entity and its subentities that have no value for a property.
  private func missingValues(of property: String, in entity: String) -> String? {
    guard let (mapping, old) = migration.oldProperty(property, in: entity),
      let table = migration.oldTable(of: entity), let isMissing = isMissing(old, property, in: entity, mapping, table)
    else { return nil }
    let tests = [test(for: family(of: entity), in: table), isMissing].compactMap { $0 }
    return "SELECT \(quoted(DatabaseMapping.keyColumn)), NULL FROM \(tableName(table.name)) AS owners "
      + "WHERE \(tests.joined(separator: " AND ")) \(fewRows)"
  }

  private func family(of entity: String) -> [String] {
    migration.new.table(named: entity)?.entity.family.map(\.name) ?? [entity]
  }

  private func isMissing(
    _ old: PropertyLayout, _ property: String, in entity: String, _ mapping: TableMapping, _ table: PhysicalTable
  ) -> String? {
    guard old.isRelationship else {
      guard let presence = migration.change.oldForm(of: old.name, in: entity)?.part(at: [old.name])?.presence,
        let column = migration.oldColumn(presence, of: old, in: mapping)
      else { return nil }
      return "\(quoted(column.name)) IS NULL"
    }
    guard let pairs = migration.oldPairs(of: property, in: entity) else { return nil }
    let owner = "owners.\(quoted(DatabaseMapping.keyColumn))"
    return "NOT EXISTS (SELECT 1 FROM \(tableName(pairs.table)) AS pairs WHERE pairs.\(quoted(pairs.owner)) = \(owner) "
      + "AND pairs.\(quoted(pairs.target)) IS NOT NULL)"
  }
}

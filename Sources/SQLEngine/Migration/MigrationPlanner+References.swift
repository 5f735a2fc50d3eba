/// References that are constraints apart from their columns. They follow a table that gets another name, and need the one
/// that they lead to.
extension MigrationPlanner {
  /// Before tables are put aside: references would lead to them from then on.
  mutating func removeReferences() {
    let kept = keptReferences()
    for reference in references(in: migration.old) where !kept.contains(reference) {
      if let constraint = migration.dialect.constraint(of: reference) { add(constraint.removal) }
    }
  }

  /// After all rows are where they belong, and what code is still to set is set.
  mutating func addReferences() {
    let kept = keptReferences()
    for reference in references(in: migration.new) where !kept.contains(reference) {
      guard let constraint = migration.dialect.constraint(of: reference) else { continue }
      let operation = MigrationOperation.run(constraint.addition, rows: reference.table)
      if migration.keepsOld { plan.completion.append(operation) } else { plan.operations.append(operation) }
    }
  }

  private func references(in database: DatabaseMapping) -> [TableReference] {
    database.tables.flatMap(\.ownReferences)
  }

  /// Those between tables that stay.
  private func keptReferences() -> Set<TableReference> {
    Set(references(in: migration.old)).intersection(references(in: migration.new)).filter {
      stays($0.table) && stays($0.target)
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

/// Indexes over points, which are tables that something keeps in step with those of entities.
extension MigrationPlanner {
  /// Those that stay as they are: over a table that does, but for columns that are added.
  private func keptSpatialIndexes(of table: PhysicalTable) -> Set<SpatialIndexMapping> {
    guard case .alter(let alterations) = tablePlans[table.name], alterations.allSatisfy(\.isAddition),
      let old = migration.oldTables.first(where: { $0.name == table.name })
    else { return [] }
    return Set(old.spatialIndexes).intersection(table.spatialIndexes)
  }

  /// Before tables are put aside: what keeps an index in step would go with its table, under a name that is needed.
  mutating func dropSpatialIndexes() {
    let kept = migration.newTables.reduce(into: Set<SpatialIndexMapping>()) {
      $0.formUnion(keptSpatialIndexes(of: $1))
    }
    for index in migration.oldTables.flatMap(\.spatialIndexes) where !kept.contains(index) {
      for sql in migration.dialect.removal(of: index) { add(sql) }
    }
  }

  /// After all rows are where they belong, since an index is filled faster than it is kept in step.
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

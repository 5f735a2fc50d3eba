import PersistenceSchemas

/// Estimates how many rows the operations of a migration will visit, to report its progress.
package struct MigrationEstimate {
  /// The upper limit of an estimate, which no table reaches. It is needed because other programs may skip keys.
  private static let greatest = 1 << 40

  /// The estimated number of rows, by table.
  private var rows: [String: Int] = [:]

  package init() {}

  /// - Parameters:
  ///   - database: The tables before the migration.
  ///   - bounds: Returns the first and the last key of a table; nil if the table is empty.
  package init(_ database: DatabaseMapping, bounds: (String) throws -> (first: Int64, last: Int64)?) rethrows {
    for name in Self.tables(of: database) { rows[name] = try bounds(name).map(Self.count) ?? 0 }
  }

  /// The tables of entities and the link tables.
  package static func tables(of database: DatabaseMapping) -> [String] {
    database.tables.filter { !$0.isShared }.map(\.name)
      + database.tables.flatMap(\.links.values).filter(\.isDefining).map(\.name)
  }

  /// The distance between the first and the last key. It approximates the number of rows without reading the table.
  private static func count(_ bounds: (first: Int64, last: Int64)) -> Int {
    let (span, isOver) = bounds.last.subtractingReportingOverflow(bounds.first)
    return isOver ? greatest : min(Int(span), greatest - 1) + 1
  }

  /// Applies the renaming of tables to the estimates.
  ///
  /// - Parameter names: The new names by the old names.
  package mutating func rename(_ names: [String: String]) {
    let counts = rows
    for (old, new) in names { rows[new] = counts[old] }
  }

  package func total(of plan: DatabaseMigration.Plan) -> Int {
    plan.all.reduce(0) { min($0 + rows(of: $1), Self.greatest) }
  }

  package func rows(of operation: MigrationOperation) -> Int {
    switch operation {
    case .run(_, let table): table.map(rows(ofTable:)) ?? 0
    case .refer(let reference, _): rows(ofTable: reference.table)
    case .copy(let copy): rows(ofTable: copy.source)
    case .fill(let fill): rows(ofTable: fill.table)
    case .reseal(let reseal): rows(ofTable: reseal.table)
    case .makeUnique(let test): rows(ofTable: test.table)
    case .defaultOriginals(_, let table): rows(ofTable: table)
    case .refuse, .originals: 0
    }
  }

  private func rows(ofTable table: String) -> Int {
    let prefix = DatabaseMigration.asidePrefix
    return rows[table.hasPrefix(prefix) ? String(table.dropFirst(prefix.count)) : table] ?? 0
  }
}

import PersistenceRuntime
import PersistenceSchemas
import SQLEngine

/// Checks the references in one column: each references an existing row of the right class. If the inverse is to-one,
/// no two rows reference the same row.
struct ReferenceCheck: CheckStep {
  private let table: TableMapping
  private let relationship: RelationshipLayout
  private let column: ColumnMapping
  private let destination: TableMapping
  /// The entity that declares the relationship.
  private let entity: EntityLayout
  private let positionColumn: String?
  var tables: [String] { [table.name, destination.name] }

  /// The checks of all references in a table, except references to entities that are not in the store.
  static func all(of table: TableMapping, in database: DatabaseMapping) -> [ReferenceCheck] {
    table.declaredProperties.compactMap { owner, property in
      guard let relationship = property.relationship, let column = owner.columns(of: property.position).first,
        // With the delete rule `.noAction`, the database does not check references, so a referenced row may be missing.
        column.format == .reference, relationship.inverseDeleteRule != .noAction,
        let destination = database.table(named: relationship.destination)
      else { return nil }
      return ReferenceCheck(
        table: table, relationship: relationship, column: column, destination: destination, entity: owner.entity,
        positionColumn: owner.positionColumns[property.position])
    }
  }

  func run(in check: StoreCheck) throws {
    try checkDestinations(in: check)
    if let inverse = relationship.inverse, !inverse.isToMany { try checkShared(in: check) }
  }

  // MARK: Destinations

  private func checkDestinations(in check: StoreCheck) throws {
    let (key, column) = (check.key, "t.\(check.quoted(column.name))")
    let classes = destination.rowTest(includesSubentities: true, of: "p.", isSearched: false, dialect: check.dialect)
    let parent = "SELECT 1 FROM \(check.quoted(destination.name)) AS p WHERE p.\(key) = \(column)"
    let sql =
      "SELECT t.\(key), \(column), EXISTS (\(parent)) FROM \(check.quoted(table.name)) AS t "
      + "WHERE t.\(key) >= ?1 AND typeof(\(column)) = 'integer' AND NOT EXISTS (\(parent)"
      + (classes.map { " AND \($0)" } ?? "") + ")" + ownTest(check) + " ORDER BY t.\(key) LIMIT ?2"
    try check.batches(sql) {
      (key: $0.integer(0), target: $0.integer(1), isOther: $0.integer(2) != 0)
    } handle: {
      try report($0.key, $0.target, isOther: $0.isOther, in: check)
    }
  }

  /// The condition that selects rows of classes with the relationship. Other rows of the table do not have it.
  private func ownTest(_ check: StoreCheck) -> String {
    guard entity.inheritance != nil else { return "" }
    let test = TableMapping.test(for: entity.family.map(\.name), of: "t.", isSearched: false, dialect: check.dialect)
    return " AND \(test)"
  }

  private func report(_ key: Int64, _ target: Int64, isOther: Bool, in check: StoreCheck) throws {
    let canClear = column.isOptional
    if canClear, check.isRepairing {
      let columns = [column.name] + [positionColumn].compactMap { $0 }
      let changes = columns.map { "\(check.quoted($0)) = NULL" }.joined(separator: ", ")
      try check.run("UPDATE \(check.quoted(table.name)) SET \(changes) WHERE \(check.key) = ?1", .integer(key))
    }
    let advice =
      !canClear
      ? "The relationship needs a model: set the column to the key of one, or delete the row, by SQL"
      : check.isRepairing ? "It was cleared" : "It can be cleared"
    check.log.add(
      .danglingReference, entity: entity.name, table: table.name, key: key, column: column.name, value: "\(target)",
      isOther
        ? "it refers to row \(target) of \(destination.name), which is no \(relationship.destination)"
        : "it refers to row \(target) of \(destination.name), which is not there",
      advice: advice, repair: canClear ? check.repair : .impossible)
  }

  // MARK: Rows that only one row may reference

  private func checkShared(in check: StoreCheck) throws {
    let column = "t.\(check.quoted(column.name))"
    let sql =
      "SELECT \(column), count(*), group_concat(t.\(check.key), ', ') FROM \(check.quoted(table.name)) AS t "
      + "WHERE typeof(\(column)) = 'integer'\(ownTest(check)) GROUP BY \(column) HAVING count(*) > 1"
    try check.rows(sql) { row in
      let keys = row.text(2) ?? ""
      check.log.add(
        .sharedReference, entity: entity.name, table: table.name, column: self.column.name, value: "\(row.integer(0))",
        "rows \(keys.prefix(100)) refer to row \(row.integer(0)) of \(destination.name), to which one may refer",
        advice: "Clear the column in all of them but one: \(relationship.destination)"
          + ".\(relationship.inverse?.name ?? "") is the last of them for now",
        repair: .impossible)
    }
  }
}

import PersistenceRuntime
import PersistenceSupport

/// A column of a row that to-one relationships lead to, as an expression over the row that they lead from.
///
/// Each step is a look-up by the primary key, or by the index of the reference, so that nothing is joined and the
/// columns of the statement around it keep their names. NULL where a relationship is empty.
struct RelatedValue {
  let table: TableMapping
  let database: DatabaseMapping
  let dialect: any SQLDialect

  /// - Parameter column: The name of the column in the last table.
  func sql(_ steps: [RelationshipStep], column: (TableMapping) throws -> String) throws -> String {
    var source = table
    var condition: (TableMapping, String) -> String = { _, _ in "" }
    var prefix = dialect.quoted(table.name)
    for (number, step) in steps.enumerated() {
      let next = try destination(of: step, from: source)
      condition = try link(step, from: source, prefix, to: next, condition, number: number)
      source = next
      prefix = alias(number)
    }
    return condition(source, "\(prefix).\(dialect.quoted(try column(source)))")
  }

  /// Wraps a value of the row behind a step into the look-up of that row.
  private func link(
    _ step: RelationshipStep, from source: TableMapping, _ prefix: String, to next: TableMapping,
    _ outer: @escaping (TableMapping, String) -> String, number: Int
  ) throws -> (TableMapping, String) -> String {
    let rows = try test(step, from: source, prefix, alias: alias(number))
    let key = "\(alias(number)).\(dialect.quoted(DatabaseMapping.keyColumn))"
    let table = "\(dialect.table(next.name)) AS \(alias(number))"
    return { last, value in
      let query = "SELECT \(value) FROM \(table) WHERE \(rows.sql)"
      let inner = rows.findsOne ? "(\(query))" : dialect.value(ofQuery: query, lastBy: key)
      return number == 0 ? inner : outer(last, inner)
    }
  }

  /// What tells the row behind a step, and whether no other row can meet it. Only a race of two contexts can leave several
  /// rows that refer to the same one.
  private func test(
    _ step: RelationshipStep, from source: TableMapping, _ prefix: String, alias: String
  ) throws -> (sql: String, findsOne: Bool) {
    let key = dialect.quoted(DatabaseMapping.keyColumn)
    guard let relationship = source.entity.relationship(at: step.position) else { throw unknown(step, in: source) }
    if let column = source.columns(of: step.position).first {
      return ("\(alias).\(key) = \(prefix).\(dialect.quoted(column.name))", true)
    }
    let destination = try destination(of: step, from: source)
    guard let inverse = relationship.inverse, let column = destination.columns(of: inverse.position).first else {
      throw unknown(step, in: source)
    }
    return ("\(alias).\(dialect.quoted(column.name)) = \(prefix).\(key)", false)
  }

  private func destination(of step: RelationshipStep, from source: TableMapping) throws -> TableMapping {
    guard let table = database.table(named: step.destination) else { throw unknown(step, in: source) }
    return table
  }

  private func alias(_ number: Int) -> String { dialect.quoted("\(DatabaseMapping.ownPrefix)\(number + 1)") }

  private func unknown(_ step: RelationshipStep, in table: TableMapping) -> SwiftDataError {
    SwiftDataError(
      .unsupportedSortDescriptor,
      "The store cannot follow property \(step.position) of \(table.entity.name) to \(step.destination). "
        + "Sort the fetched models in Swift.")
  }
}

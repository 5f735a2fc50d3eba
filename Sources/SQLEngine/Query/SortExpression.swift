import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Writes the SQL expression of a sort term.
struct SortExpression {
  let table: TableMapping
  /// The qualifier before the columns of the sorted rows, including the dot.
  let prefix: String
  let database: DatabaseMapping
  let dialect: any SQLDialect

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` if the property has no column.
  func sql(_ term: SortTerm) throws -> String {
    let value = try stored(term)
    switch term.form {
    case .stored: return try format(term) == .decimal ? decimal(value, term) : value
    case .text(let order):
      guard let collated = dialect.collated(value, by: order) else {
        throw SwiftDataError(
          .unsupportedSortDescriptor,
          "This database does not order texts as people do. Sort the fetched models in Swift, or by `<`.")
      }
      return collated
    case .ranked(let values):
      let cases = values.map { "WHEN \(literal($0.value)) THEN \($0.rank)" }
      return "CASE \(value) \(cases.joined(separator: " ")) END"
    }
  }

  /// The literal for a raw value of an enum. It needs no parameter, because it comes from the program, not from a user.
  private func literal(_ value: QueryValue) -> String {
    switch value {
    case .integer(let number): dialect.literal(.integer(number))
    case .text(let text, _): dialect.literal(.text(text))
    default: dialect.literal(.null)
    }
  }

  private func decimal(_ value: String, _ term: SortTerm) throws -> String {
    let isIndexed = try term.steps.isEmpty && table.decimalIndexes[Self.name(of: term, in: table)] != nil
    return isIndexed ? dialect.key(ofDecimal: value) : dialect.ordered(decimal: value)
  }

  /// The format of the column by which the term sorts.
  func format(_ term: SortTerm) throws -> ColumnFormat {
    if case .ranked = term.form { return .integer }
    let table = try term.steps.last.map { step in
      guard let table = database.table(named: step.destination) else {
        throw SwiftDataError(.unsupportedSortDescriptor, "\(step.destination) is not in this store.")
      }
      return table
    }
    return (table ?? self.table).columns(of: term.property).dropFirst(term.column).first?.format ?? .integer
  }

  /// The expression for the stored value of the column by which the term sorts.
  func stored(_ term: SortTerm) throws -> String {
    guard !term.steps.isEmpty else { return prefix + dialect.quoted(try Self.name(of: term, in: table)) }
    let path = RelatedValue(table: table, database: database, dialect: dialect)
    return try path.sql(term.steps) { try Self.name(of: term, in: $0) }
  }

  private static func name(of term: SortTerm, in table: TableMapping) throws -> String {
    if let column = table.columns(of: term.property).dropFirst(term.column).first { return column.name }
    throw SwiftDataError(
      .unsupportedSortDescriptor,
      "\(table.entity.name) cannot be sorted by property \(term.property), which has no column. "
        + "Sort by a stored value.")
  }
}

/// The expression for a column of a related row, which a path of to-one relationships reaches from the statement's row.
///
/// Each step of the path is a subquery, which finds its row by the primary key or by the index on a foreign key. There
/// are no joins, so other columns of the statement need no qualifiers. NULL if a relationship on the path is nil.
struct RelatedValue {
  let table: TableMapping
  let database: DatabaseMapping
  let dialect: any SQLDialect

  /// - Parameter column: Returns the name of the column in the table at the end of the path.
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

  /// Returns a function from SQL to SQL. Its argument is an expression over the row of a step. Its result is a subquery
  /// that finds this row and computes the expression.
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

  /// The condition that finds the row of a step, and whether it finds at most one row. It finds several if two contexts
  /// have saved at the same time, so that several rows reference the row of the previous step.
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

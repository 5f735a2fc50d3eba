import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// What a term of an order compares, in SQL.
struct SortExpression {
  let table: TableMapping
  /// What stands before the columns of the rows that are put in an order.
  let prefix: String
  let database: DatabaseMapping
  let dialect: any SQLDialect

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for what has no column.
  func sql(_ term: SortTerm) throws -> String {
    let value = try stored(term)
    switch term.form {
    case .stored: return try format(term) == .decimal ? decimal(value, term) : value
    case .text(let order): return dialect.collated(value, by: order)
    case .ranked(let values):
      let cases = values.map { "WHEN \(literal($0.value)) THEN \($0.rank)" }
      return "CASE \(value) \(cases.joined(separator: " ")) END"
    }
  }

  /// The raw value of a case. Values that users enter are bound instead.
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

  /// How the column at the end of a term is written.
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

  /// The column at the end of a term, as it is stored.
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

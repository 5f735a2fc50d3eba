import PersistenceRuntime

/// A statement that answers every request for calculations of one shape, and where its parameters come from.
package struct AggregateStatement: Sendable {
  package let sql: String
  package let parameters: [SQLParameter]

  /// Writes the statement for the requests of a shape.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package init(
    _ shape: AggregateShape, table: TableMapping, database: DatabaseMapping, dialect: any SQLDialect
  ) throws {
    var writer = AggregateWriter(
      table: table, database: database, dialect: dialect, shape: shape,
      generator: try SQLGenerator(shape.whole, table: table, database: database, dialect: dialect))
    // In the order in which the parts are in the shape, since their values are counted in that order.
    let condition = try writer.condition()
    let group = try shape.group.map { [try writer.value($0).term] } ?? []
    let columns = try shape.columns.map { try writer.column($0) }
    let selected = (group + columns).joined(separator: ", ")
    // The group is the first column of the result.
    let grouping = group.isEmpty ? "" : " GROUP BY 1 ORDER BY \(dialect.orderTerm("1", isDescending: false))"
    sql = "SELECT \(selected) FROM \(try writer.source())\(condition)\(grouping)"
    parameters = writer.generator.parameters
  }
}

/// Writes the parts of a statement that calculates, in the order in which their parameters are counted.
private struct AggregateWriter {
  let table: TableMapping
  let database: DatabaseMapping
  let dialect: any SQLDialect
  let shape: AggregateShape
  var generator: SQLGenerator

  func source() throws -> String { dialect.table(table.name) + (try generator.rows.joins(of: 0)) }

  mutating func condition() throws -> String {
    let prefix = generator.rows.prefix(0)
    var condition: String?
    if let range = shape.condition { condition = try generator.condition(of: shape.nodes(range)) }
    let spatial = generator.spatialTest()
    let test = table.rowTest(
      includesSubentities: true, of: prefix, isSearched: spatial == nil, dialect: dialect)
    let tests = [test, spatial, condition].compactMap { $0 }
    guard !tests.isEmpty else { return "" }
    return " WHERE " + (tests.count > 1 ? tests.map { "(\($0))" }.joined(separator: " AND ") : tests[0])
  }

  /// A value, and what it is compared by.
  struct Operand {
    let value: String
    let term: String
    let format: ColumnFormat
  }

  /// What is calculated with, as bytes compare it where it is text.
  mutating func value(_ operand: AggregateShape.Operand) throws -> Operand {
    let (sql, format) = try plainValue(operand)
    let value = format == .json ? dialect.form(ofJSON: sql) : sql
    return Operand(value: value, term: format == .decimal ? dialect.ordered(decimal: sql) : value, format: format)
  }

  private mutating func plainValue(_ operand: AggregateShape.Operand) throws -> (sql: String, format: ColumnFormat) {
    switch operand {
    case .column(let term):
      let expression = SortExpression(
        table: table, prefix: generator.rows.prefix(0), database: database, dialect: dialect)
      let format = try expression.format(term)
      let value = try format == .decimal ? expression.stored(term) : expression.sql(term)
      return (value, format)
    case .nodes(let range): return try generator.value(of: shape.nodes(range))
    }
  }

  mutating func column(_ column: AggregateShape.Column) throws -> String {
    guard let operand = column.operand else { return "count(*)" }
    let value = try value(operand)
    return switch column.function {
    case .count: "count(\(value.value))"
    case .countDistinct: "count(DISTINCT \(value.value))"
    case .sum: dialect.sum(value.value, format: value.format)
    case .minimum: "min(\(value.term))"
    case .maximum: "max(\(value.term))"
    }
  }
}

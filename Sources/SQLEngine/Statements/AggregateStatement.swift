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
    let group = try shape.group.map { try writer.group($0) }
    let columns = try shape.columns.map { try writer.column($0) }
    let selected = ((group.map { [$0.selected] } ?? []) + columns).joined(separator: ", ")
    let grouping =
      group.map { " GROUP BY \($0.term) ORDER BY \(dialect.orderTerm($0.term, isDescending: false))" } ?? ""
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

  /// A value as it is stored, and what it is compared by.
  private struct Operand {
    let stored: String
    let term: String
    let format: ColumnFormat

    /// What is equal for equal values.
    var equal: String { format == .decimal ? stored : term }
  }

  private mutating func value(_ operand: AggregateShape.Operand) throws -> Operand {
    switch operand {
    case .column(let term):
      let expression = SortExpression(
        table: table, prefix: generator.rows.prefix(0), database: database, dialect: dialect)
      let format = try expression.format(term)
      let stored = try expression.stored(term)
      if format == .decimal { return decimal(stored) }
      let value = try expression.sql(term)
      return Operand(stored: format == .text ? stored : value, term: value, format: format)
    case .nodes(let range):
      let (value, format) = try generator.value(of: shape.nodes(range))
      if format == .decimal { return decimal(value) }
      return Operand(stored: value, term: format == .text ? dialect.ordered(value) : value, format: format)
    }
  }

  private func decimal(_ value: String) -> Operand {
    Operand(stored: value, term: dialect.ordered(decimal: value), format: .decimal)
  }

  mutating func group(_ operand: AggregateShape.Operand) throws -> GroupTerm {
    let value = try value(operand)
    return dialect.group(value.stored, by: value.term, number: 1)
  }

  mutating func column(_ column: AggregateShape.Column) throws -> String {
    guard let operand = column.operand else { return "count(*)" }
    let value = try value(operand)
    return switch column.function {
    case .count: "count(\(value.equal))"
    case .countDistinct: "count(DISTINCT \(value.equal))"
    case .sum: dialect.sum(value.equal, format: value.format)
    case .minimum: dialect.extreme(of: value.stored, by: value.term, isGreatest: false)
    case .maximum: dialect.extreme(of: value.stored, by: value.term, isGreatest: true)
    }
  }
}

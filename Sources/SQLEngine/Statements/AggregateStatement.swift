import PersistenceRuntime

/// A statement that calculates over rows, and where its parameters come from.
package struct AggregateStatement {
  package let sql: String
  package let parameters: [SQLParameter]
  /// The values of the request, of the condition first and then of each operand, in one tree.
  package let values: QueryTree

  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package init(
    _ request: AggregateRequest, table: TableMapping, database: DatabaseMapping, dialect: any SQLDialect
  ) throws {
    let trees = AggregateTrees(request)
    let whole = FetchRequest(entity: request.entity, selection: .matching(trees.joined))
    let shape = RequestShape(whole, purpose: .count, table: table)
    var writer = AggregateWriter(
      table: table, database: database, dialect: dialect, trees: trees,
      generator: try SQLGenerator(shape, table: table, database: database, dialect: dialect))
    let condition = try writer.condition()
    let group = try request.group.map { try writer.group($0) }
    let columns = try request.columns.map { try writer.column($0) }
    let selected = ((group.map { [$0.selected] } ?? []) + columns).joined(separator: ", ")
    let grouping =
      group.map { " GROUP BY \($0.term) ORDER BY \(dialect.orderTerm($0.term, isDescending: false))" } ?? ""
    sql = "SELECT \(selected) FROM \(try writer.source())\(condition)\(grouping)"
    parameters = writer.generator.parameters
    values = trees.joined
  }
}

/// The trees of a request as one, and where each of them is in it.
private struct AggregateTrees {
  private(set) var joined = QueryTree()
  private var ranges: [Range<Int>] = []
  let hasCondition: Bool

  init(_ request: AggregateRequest) {
    if case .matching(let tree) = request.selection {
      hasCondition = true
      add(tree)
    } else {
      hasCondition = false
    }
    for operand in (request.group.map { [$0] } ?? []) + request.columns.compactMap(\.operand) {
      if case .tree(let tree) = operand { add(tree) }
    }
  }

  private mutating func add(_ tree: QueryTree) {
    let start = joined.nodes.count
    joined.append(tree)
    ranges.append(start..<joined.nodes.count)
  }

  /// The nodes of the next tree: they are asked for in the order in which they were added.
  mutating func next() -> [QueryNode] {
    ranges.isEmpty ? [] : Array(joined.nodes[ranges.removeFirst()])
  }
}

/// Writes the parts of a statement that calculates, in the order in which their parameters are counted.
private struct AggregateWriter {
  let table: TableMapping
  let database: DatabaseMapping
  let dialect: any SQLDialect
  var trees: AggregateTrees
  var generator: SQLGenerator

  func source() throws -> String { dialect.table(table.name) + (try generator.rows.joins(of: 0)) }

  mutating func condition() throws -> String {
    let prefix = generator.rows.prefix(0)
    let condition = trees.hasCondition ? try generator.condition(of: trees.next()) : nil
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
  }

  private mutating func value(_ operand: AggregateOperand) throws -> Operand {
    switch operand {
    case .column(let term):
      let expression = SortExpression(
        table: table, prefix: generator.rows.prefix(0), database: database, dialect: dialect)
      let format = try expression.format(term)
      let value = try expression.sql(term)
      let compared = term.steps.isEmpty ? value : dialect.collated(value, as: format)
      let stored = try format == .text ? expression.stored(term) : compared
      return Operand(stored: stored, term: compared, format: format)
    case .tree:
      let (value, format) = try generator.value(of: trees.next())
      return Operand(stored: value, term: format == .text ? dialect.ordered(value) : value, format: format)
    }
  }

  mutating func group(_ operand: AggregateOperand) throws -> GroupTerm {
    let value = try value(operand)
    return dialect.group(value.stored, by: value.term, number: 1)
  }

  mutating func column(_ column: AggregateColumn) throws -> String {
    guard let operand = column.operand else { return "count(*)" }
    let value = try value(operand)
    return switch column.function {
    case .count: "count(\(value.term))"
    case .countDistinct: "count(DISTINCT \(value.term))"
    case .sum: dialect.sum(value.term, format: value.format)
    case .minimum: dialect.extreme(of: value.stored, by: value.term, isGreatest: false)
    case .maximum: dialect.extreme(of: value.stored, by: value.term, isGreatest: true)
    }
  }
}

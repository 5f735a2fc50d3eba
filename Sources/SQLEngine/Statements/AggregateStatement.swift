import PersistenceCore

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
    var writer = try AggregateWriter(table: table, database: database, dialect: dialect, request: request)
    let condition = try writer.condition(request.selection)
    let group = try request.group.map { try writer.value($0) }
    let columns = try request.columns.map { try writer.column($0) }
    let selected = ((group.map { [$0.sql] } ?? []) + columns).joined(separator: ", ")
    let grouping = group == nil ? "" : " GROUP BY 1 ORDER BY \(dialect.orderTerm("1", isDescending: false))"
    sql = "SELECT \(selected) FROM \(dialect.quoted(table.name))\(try writer.joins)\(condition)\(grouping)"
    parameters = writer.parameters
    values = writer.values
  }
}

/// Writes the parts of a statement that calculates.
private struct AggregateWriter {
  private let table: TableMapping
  private let database: DatabaseMapping
  private let dialect: any SQLDialect
  private var translator: QueryTranslator
  private(set) var values = QueryTree()

  init(table: TableMapping, database: DatabaseMapping, dialect: any SQLDialect, request: AggregateRequest) throws {
    self.table = table
    self.database = database
    self.dialect = dialect
    translator = QueryTranslator(
      rows: try QueryRows(request.rows, of: table, in: database, dialect: dialect, nodes: request.nodes),
      table: table, dialect: dialect, nilLists: request.nilLists)
  }

  /// The joins for the other rows that the condition speaks of.
  var joins: String {
    get throws { try translator.rows.joins(of: 0) }
  }

  var parameters: [SQLParameter] { translator.parameters }

  mutating func condition(_ selection: FetchSelection) throws -> String {
    let test = table.rowTest(includesSubentities: true, of: translator.rows.prefix(0), dialect: dialect)
    var condition: String?
    if case .matching(let tree) = selection {
      condition = try translator.translate(tree.nodes)
      values.append(tree)
    }
    let tests = [test, condition].compactMap { $0 }
    guard !tests.isEmpty else { return "" }
    return " WHERE " + (tests.count > 1 ? tests.map { "(\($0))" }.joined(separator: " AND ") : tests[0])
  }

  mutating func value(_ operand: AggregateOperand) throws -> (sql: String, format: ColumnFormat) {
    switch operand {
    case .column(let term):
      let expression = SortExpression(
        table: table, prefix: translator.rows.prefix(0), database: database, dialect: dialect)
      let format = try expression.format(term)
      let value = try expression.sql(term)
      return (term.steps.isEmpty ? value : dialect.collated(value, as: format), format)
    case .tree(let tree):
      let value = try translator.value(of: tree.nodes)
      values.append(tree)
      return value
    }
  }

  mutating func column(_ column: AggregateColumn) throws -> String {
    guard let operand = column.operand else { return "count(*)" }
    let (value, format) = try value(operand)
    return switch column.function {
    case .count: "count(\(value))"
    case .countDistinct: "count(DISTINCT \(value))"
    case .sum: dialect.sum(value, format: format)
    case .minimum: "min(\(value))"
    case .maximum: "max(\(value))"
    }
  }
}

extension AggregateRequest {
  /// The other rows that the condition speaks of. Operands speak of none.
  fileprivate var rows: [QueryRow] {
    if case .matching(let tree) = selection { tree.rows } else { [] }
  }

  fileprivate var nodes: [QueryNode] {
    if case .matching(let tree) = selection { tree.nodes } else { [] }
  }

  /// The lists that have nil among their elements, a bit each, through all trees.
  fileprivate var nilLists: UInt64 {
    var trees: [QueryTree] = []
    if case .matching(let tree) = selection { trees.append(tree) }
    for operand in (group.map { [$0] } ?? []) + columns.compactMap(\.operand) {
      if case .tree(let tree) = operand { trees.append(tree) }
    }
    var result: UInt64 = 0
    var position: UInt64 = 0
    for case .list(let elements) in trees.flatMap(\.values) {
      if position < 64, elements.contains(where: \.isNull) { result |= 1 << position }
      position += 1
    }
    return result
  }
}

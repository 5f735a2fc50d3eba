import PersistenceRuntime
import PersistenceSupport

/// Turns the nodes of a query tree into a condition, node by node.
///
/// It runs only when a shape is met for the first time. Values do not reach it.
struct SQLGenerator {
  let table: TableMapping
  let dialect: any SQLDialect
  /// The other rows that the nodes speak of.
  let rows: QueryRows
  /// The lists that have nil among their elements, a bit each.
  let nilLists: UInt64
  private(set) var parameters: [SQLParameter] = []
  private var indices: [SQLParameter: Int] = [:]
  /// What is so about columns with an index over points in the rows that meet the condition.
  private(set) var bounds: [SpatialBound] = []
  private var stack: [SQLFragment] = []
  private var valueCount = 0
  private var listCount = 0

  init(_ shape: RequestShape, table: TableMapping, database: DatabaseMapping, dialect: any SQLDialect) throws {
    self.table = table
    self.dialect = dialect
    self.rows = try QueryRows(shape, table: table, database: database, dialect: dialect)
    self.nilLists = shape.nilLists
  }

  /// The condition that the nodes stand for, nil when every row meets it.
  mutating func condition(of nodes: [QueryNode]) throws -> String? {
    for node in nodes { try push(node) }
    guard let result = stack.popLast() else { return nil }
    guard stack.isEmpty else { throw unsupported("\(stack.count) operands without an operator") }
    bounds = result.bounds
    return result.role == .truth(true) ? nil : try condition(result).sql
  }

  /// The value that the nodes stand for in each row.
  mutating func value(of nodes: [QueryNode]) throws -> (sql: String, format: ColumnFormat) {
    for node in nodes { try push(node) }
    guard let result = stack.popLast(), stack.isEmpty else { throw unsupported("an expression without a value") }
    return (try value(result), result.format)
  }

  private mutating func push(_ node: QueryNode) throws {
    switch node {
    case .property, .memberProperty, .member, .composite, .isEntity, .key, .related, .value, .null, .list, .truth:
      stack.append(try leaf(node))
    case .negative, .textCount, .dataCount, .elements, .hasMember:
      let operand = try pop(node)
      stack.append(try unary(node, operand))
    case .exists(let row), .count(let row), .minimum(let row), .maximum(let row):
      let condition = try pop(node)
      let list = rows.isList(row) ? try pop(node) : nil
      stack.append(try summary(node, of: row, condition, list: list))
    case .lookUp(let format):
      let (key, values, keys) = (try pop(node), try pop(node), try pop(node))
      stack.append(try lookUp(key, keys, values, format))
    case .not:
      let operand = try pop(node)
      stack.append(try negation(operand))
    case .conditional:
      let (whenFalse, whenTrue, test) = (try pop(node), try pop(node), try pop(node))
      stack.append(try choice(test, whenTrue, whenFalse))
    case .betweenClosed, .betweenHalfOpen:
      let (upper, lower, operand) = (try pop(node), try pop(node), try pop(node))
      stack.append(try range(operand, lower, upper, includesUpper: node == .betweenClosed))
    default:
      let (rhs, lhs) = (try pop(node), try pop(node))
      stack.append(try binary(node, lhs, rhs))
    }
  }

  private mutating func leaf(_ node: QueryNode) throws -> SQLFragment {
    switch node {
    case .property, .memberProperty, .member, .composite, .isEntity, .key:
      return try RowValue(node).map { try self.value($0, of: 0) } ?? .truth(false)
    case .related(let row, let value): return try self.value(value, of: row)
    case .value(let format):
      valueCount += 1
      return SQLFragment(role: .bound(valueCount - 1), format: format, isConstant: true)
    case .list(let format):
      valueCount += 1
      listCount += 1
      guard listCount <= QueryTree.mostLists else { throw unsupported("more than \(QueryTree.mostLists) lists") }
      let hasNil = nilLists & (1 << UInt64(listCount - 1)) != 0
      return SQLFragment(role: .list(valueCount - 1), format: format, nullness: hasNil ? .meansNil : .never)
    case .truth(let isTrue): return .truth(isTrue)
    default: return SQLFragment(role: .null, sql: "NULL", nullness: .meansNil)
    }
  }

  private mutating func binary(_ node: QueryNode, _ lhs: SQLFragment, _ rhs: SQLFragment) throws -> SQLFragment {
    switch node {
    case .equal: try equality(lhs, rhs)
    case .notEqual: try inequality(lhs, rhs)
    case .less: try comparison(lhs, "<", rhs)
    case .lessOrEqual: try comparison(lhs, "<=", rhs)
    case .greater: try comparison(lhs, ">", rhs)
    case .greaterOrEqual: try comparison(lhs, ">=", rhs)
    case .and: try join(lhs, "AND", rhs)
    case .or: try join(lhs, "OR", rhs)
    case .containsText: try search(lhs, rhs, dialect.contains)
    case .startsWithText: try prefixSearch(lhs, rhs)
    case .containsValue: try membership(of: rhs, in: lhs)
    case .coalesce: try coalescence(lhs, rhs)
    case .arithmetic(let operation, let form): try calculation(operation, form, lhs, rhs)
    case .containsLocalized: try search(lhs, rhs, dialect.containsLocalized)
    case .containsRegex: try search(lhs, rhs, dialect.containsRegex)
    case .compareText(let comparison): try textComparison(comparison, lhs, rhs)
    case .valueForKey(let form): try valueForKey(form, lhs, rhs)
    case .elementAt(let format): try element(of: lhs, at: rhs, format)
    default: throw unsupported("the operator \(node)")
    }
  }

  private mutating func pop(_ node: QueryNode) throws -> SQLFragment {
    guard let fragment = stack.popLast() else { throw unsupported("\(node) without its operands") }
    return fragment
  }

  /// Adds a parameter, or finds it when it is there already.
  mutating func placeholder(_ parameter: SQLParameter, _ type: SQLParameterType) -> String {
    if let index = indices[parameter] { return dialect.placeholder(index, type) }
    parameters.append(parameter)
    indices[parameter] = parameters.count
    return dialect.placeholder(parameters.count, type)
  }

  func unsupported(_ what: String) -> SwiftDataError {
    SwiftDataError(
      .unsupportedPredicate,
      "A predicate on \(table.entity.name) cannot be put to the store: \(what). "
        + "Write that part of the predicate differently, or filter the fetched models.")
  }
}

import PersistenceRuntime
import PersistenceSupport

/// Translates the nodes of a query tree into an SQL condition, one node after the other.
///
/// For all requests that differ only in their values, it runs only once, and does not see the values.
struct SQLGenerator {
  let table: TableMapping
  let dialect: any SQLDialect
  /// The rows that the nodes read in addition to the fetched row: related rows, and elements of lists.
  let rows: QueryRows
  /// A bit for each list, which is set if the list contains nil.
  let nilLists: UInt64
  /// The index of the value that must not influence the query plan; nil if there is none.
  private let unplannedValue: Int?
  private(set) var parameters: [SQLParameter] = []
  /// The type of each parameter.
  private(set) var parameterTypes: [SQLParameterType] = []
  /// The parameters' indices. Empty for few parameters, which are searched linearly because this is faster.
  private var indices: [SQLParameter: Int] = [:]
  /// The bounds that the condition sets for columns in a spatial index, for example by `latitude >= 50`.
  private(set) var bounds: [SpatialBound] = []
  private var stack: [SQLFragment] = []
  private var valueCount = 0
  private var listCount = 0

  init(_ shape: RequestShape, table: TableMapping, database: DatabaseMapping, dialect: any SQLDialect) throws {
    self.table = table
    self.dialect = dialect
    self.rows = try QueryRows(shape, table: table, database: database, dialect: dialect)
    self.nilLists = shape.nilLists
    unplannedValue = shape.lowerBoundOfLoneRange
  }

  /// Returns the condition that the nodes express as SQL; nil if every row satisfies it.
  mutating func condition(of nodes: [QueryNode]) throws -> String? {
    for node in nodes { try push(node) }
    guard let result = stack.popLast() else { return nil }
    guard stack.isEmpty else { throw unsupported("\(stack.count) operands without an operator") }
    bounds = result.bounds
    return result.role == .truth(true) ? nil : try condition(result).sql
  }

  /// Returns the SQL expression for the value that the nodes compute for each row.
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
    case .containsText: try search(lhs, rhs, node, dialect.contains)
    case .startsWithText: try prefixSearch(lhs, rhs)
    case .containsValue: try membership(of: rhs, in: lhs)
    case .coalesce: try coalescence(lhs, rhs)
    case .arithmetic(let operation, let form): try calculation(operation, form, lhs, rhs)
    case .containsLocalized: try search(lhs, rhs, node, dialect.containsLocalized)
    case .containsRegex: try search(lhs, rhs, node, dialect.containsRegex)
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

  /// Returns the placeholder of a parameter, which is added if the statement does not have it yet.
  mutating func placeholder(_ parameter: SQLParameter, _ type: SQLParameterType) -> String {
    if let index = index(of: parameter) { return dialect.placeholder(index, type) }
    parameters.append(parameter)
    parameterTypes.append(type)
    if parameters.count > 16 {
      if indices.isEmpty { indices = Dictionary(uniqueKeysWithValues: zip(parameters, 1...)) }
      indices[parameter] = parameters.count
    }
    return dialect.placeholder(parameters.count, type)
  }

  /// Returns the placeholder of a bound value.
  mutating func placeholder(ofValue position: Int, notANumber: NotANumberBinding, _ type: SQLParameterType) -> String {
    let parameter = placeholder(.value(position, notANumber: notANumber), type)
    return position == unplannedValue ? dialect.unplanned(parameter) : parameter
  }

  private func index(of parameter: SQLParameter) -> Int? {
    indices.isEmpty ? parameters.firstIndex(of: parameter).map { $0 + 1 } : indices[parameter]
  }

  /// Returns the dialect's SQL for an operator that some databases do not have.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` if `sql` is nil: the database does not have the operator.
  func answered(_ sql: String?, _ node: QueryNode) throws -> String {
    guard let sql else { throw unsupported("the operator \(node), which this database does not have") }
    return sql
  }

  func unsupported(_ what: String) -> SwiftDataError {
    SwiftDataError(
      .unsupportedPredicate,
      "A predicate on \(table.entity.name) cannot be put to the store: \(what). "
        + "Write that part of the predicate differently, or filter the fetched models.")
  }
}

/// The SQL of one subtree of a query tree.
struct SQLFragment {
  /// The kind of the fragment, which determines how other fragments can use it.
  enum Role: Equatable {
    case column
    /// A value that will be bound. The operator that uses it determines the form of its placeholder.
    case bound(Int)
    case null
    case list(Int)
    /// A list as a single value, from which the database can extract elements. For databases without arrays.
    case packedList
    case truth(Bool)
    /// A condition. If it is a conjunction or disjunction, `joinedBy` is its operator.
    case condition(joinedBy: String?)
    /// Any other value.
    case expression
  }

  /// What the result in Swift is if the fragment is NULL.
  enum Nullness {
    case never
    /// The result is false. Only conditions have this meaning.
    case meansFalse
    /// The result is nil.
    case meansNil
  }

  var role: Role
  var sql = ""
  var format: ColumnFormat = .integer
  var nullness = Nullness.never
  /// The name of the column, if the fragment is a column that is in a spatial index.
  var indexedColumn: String?
  /// Whether the column's indexes contain only sort keys, or also digits. Nil unless it is an indexed decimal column.
  var decimalIndex: DecimalIndex?
  /// Whether the fragment has the same value in all rows.
  var isConstant = false
  /// Whether the fragment's integers may exceed `Int64.max`.
  var isUnsigned = false
  /// The bounds within which the condition can hold, for columns in a spatial index.
  var bounds: [SpatialBound] = []
  /// The number of conditions that are joined in the fragment without parentheses.
  var termCount = 1

  static func condition(
    _ sql: String, joinedBy operation: String? = nil, _ nullness: Nullness, _ bounds: [SpatialBound] = []
  ) -> SQLFragment {
    SQLFragment(role: .condition(joinedBy: operation), sql: sql, nullness: nullness, bounds: bounds)
  }

  static func truth(_ isTrue: Bool) -> SQLFragment {
    SQLFragment(role: .truth(isTrue), sql: isTrue ? "TRUE" : "FALSE")
  }

  var isNullable: Bool { nullness == .meansNil }

  var isBound: Bool {
    if case .bound = role { return true }
    return false
  }
}

/// Where a parameter gets its value.
///
/// Values are identified by their indices among the values that are not nil. Nil values are never bound.
package enum SQLParameter: Sendable, Hashable {
  /// A value of the request.
  case value(Int, notANumber: NotANumberBinding)
  /// The least text that is greater than all texts that start with a value of the request.
  case prefixEnd(Int)
  /// A list of the request without its nil elements, with the format of the elements.
  case list(Int, ColumnFormat)
  /// A list of the request with all its elements, in order.
  case elements(Int, ColumnFormat)
  case limit
  case offset

  package var isList: Bool {
    switch self {
    case .list, .elements: true
    case .value, .prefixEnd, .limit, .offset: false
    }
  }
}

/// How not-a-number is bound.
///
/// Columns contain not-a-number as a text. In SQL, that text equals a bound text with the same characters. In Swift,
/// not-a-number does not equal itself.
package enum NotANumberBinding: Sendable, Hashable {
  /// As the same text that columns contain.
  case stored
  /// As a value that no column contains, for tests of equality.
  case unlikeAnything
}

extension SQLGenerator {
  /// The bounds that follow from comparing a column in a spatial index with a constant; empty for other comparisons.
  func bounds(_ lhs: SQLFragment, _ operation: String, _ rhs: SQLFragment, left: String, right: String)
    -> [SpatialBound]
  {
    if let column = lhs.indexedColumn, rhs.isConstant {
      return bounds(of: column, isLower: operation.hasPrefix(">"), operation, right)
    }
    if let column = rhs.indexedColumn, lhs.isConstant {
      return bounds(of: column, isLower: operation.hasPrefix("<"), operation, left)
    }
    return []
  }

  private func bounds(of column: String, isLower: Bool, _ operation: String, _ value: String) -> [SpatialBound] {
    guard operation == "=" else { return [SpatialBound(column: column, isLower: isLower, value: value)] }
    return [true, false].map { SpatialBound(column: column, isLower: $0, value: value) }
  }

  /// A condition that lets a spatial index preselect rows, in addition to the exact condition; nil if no index helps.
  ///
  /// An index helps if a dimension has both a lower and an upper bound. With only one bound, the range usually contains
  /// half of all rows, and reading these rows one by one is slower than reading the whole table.
  func spatialTest() -> String? {
    guard !bounds.isEmpty else { return nil }
    let candidates = table.searchableSpatialIndexes.map { ($0, closedDimensions(of: $0)) }
    guard let (index, closed) = candidates.filter({ $0.1 > 0 }).max(by: { isWorse($0, than: $1) }) else { return nil }
    let known = bounds.filter { bound in index.dimensions.contains { $0.column == bound.column } }
    let columns = Set(known.map(\.column))
    // If only one column has bounds, a plain index on this column finds exactly the same rows.
    if closed == 1, columns.count == 1, table.indexes.contains(where: { $0.columns.first == known[0].column }) {
      return nil
    }
    return "\(rows.key(0)) IN (\(dialect.keys(in: index, within: known)))"
  }

  /// The number of dimensions with both a lower and an upper bound.
  private func closedDimensions(of index: SpatialIndexMapping) -> Int {
    index.dimensions.count { dimension in
      [true, false].allSatisfy { side in bounds.contains { $0.column == dimension.column && $0.isLower == side } }
    }
  }

  private func isWorse(_ first: (SpatialIndexMapping, Int), than second: (SpatialIndexMapping, Int)) -> Bool {
    first.1 == second.1 ? first.0.dimensions.count > second.0.dimensions.count : first.1 < second.1
  }
}

/// Decimals are equal if their digits are, and are sorted by numeric value. If an index contains the sort keys of a
/// column, tests of equality and of order both use sort keys, so that the database can use the index. If it reads a row
/// without the index, computing the sort key is slower than comparing decimals.
extension SQLGenerator {
  /// The two sides of `<`, `<=`, `>` or `>=`. If neither side is a decimal, both stay unchanged.
  func decimalsInOrder(
    _ left: String, _ lhs: SQLFragment, _ right: String, _ rhs: SQLFragment
  ) -> (left: String, right: String) {
    guard lhs.format == .decimal || rhs.format == .decimal else { return (left, right) }
    if isSearched(lhs, with: rhs) || isSearched(rhs, with: lhs) { return keys(left, right) }
    return (dialect.ordered(decimal: left), right)
  }

  /// The two sides of an equality test: sort keys if the column is in an index of sort keys, but in no index of digits.
  func decimalKeys(
    _ left: String, _ lhs: SQLFragment, _ right: String, _ rhs: SQLFragment
  ) -> (left: String, right: String) {
    let isKey = isSearched(lhs, with: rhs) && lhs.decimalIndex == .key
    return isKey || (isSearched(rhs, with: lhs) && rhs.decimalIndex == .key) ? keys(left, right) : (left, right)
  }

  /// The operand of a test for nil: the sort key, if an index contains the sort keys of the column.
  func decimalKey(_ sql: String, _ fragment: SQLFragment) -> String {
    fragment.decimalIndex == .key ? dialect.key(ofDecimal: sql) : sql
  }

  /// The condition that a bound list contains a value.
  func isMember(_ sql: String, _ element: SQLFragment, ofList elements: String) -> String {
    element.decimalIndex == .key
      ? dialect.isKeyMember(sql, ofList: elements) : dialect.isMember(sql, ofList: elements, format: element.format)
  }

  private func isSearched(_ column: SQLFragment, with other: SQLFragment) -> Bool {
    column.decimalIndex != nil && other.isConstant
  }

  private func keys(_ left: String, _ right: String) -> (left: String, right: String) {
    (dialect.key(ofDecimal: left), dialect.key(ofDecimal: right))
  }
}

/// Finds ranges for which the query plan does not depend on the values.
extension RequestShape {
  /// The index of a range's lower bound among the values. Nil unless the condition consists only of a range of one
  /// property, and the request reads all rows in the range or, with a limit, the first ones in the order of the
  /// property.
  ///
  /// Such a range has the same query plan, however wide it is. With more conditions, or with a limit and another order,
  /// a database that does not know the values might read the whole table needlessly.
  var lowerBoundOfLoneRange: Int? {
    guard let range, !(hasLimit || hasOffset) || isSorted(by: range.property) else { return nil }
    return range.lowerBound
  }

  /// The property that the condition limits to a range, and the index of the lower bound among the values.
  private var range: (property: Int, lowerBound: Int)? {
    guard case .property(let property)? = nodes.first else { return nil }
    switch nodes.count {
    case 4: return nodes[1].isValue && nodes[2].isValue && nodes[3].isBetween ? (property, 0) : nil
    case 7:
      guard nodes[1].isValue, nodes[3] == nodes[0], nodes[4].isValue, nodes[6] == .and else { return nil }
      if nodes[2].isAbove, nodes[5].isBelow { return (property, 0) }
      return nodes[2].isBelow && nodes[5].isAbove ? (property, 1) : nil
    default: return nil
    }
  }

  /// Whether the first sort key of the rows is the column of a property of the fetched entity.
  private func isSorted(by property: Int) -> Bool {
    guard let first = sort.first else { return false }
    return first.property == property && first.column == 0 && first.steps.isEmpty && first.form == .stored
  }
}

extension QueryNode {
  fileprivate var isValue: Bool {
    if case .value = self { true } else { false }
  }

  fileprivate var isBetween: Bool { self == .betweenClosed || self == .betweenHalfOpen }

  fileprivate var isAbove: Bool { self == .greater || self == .greaterOrEqual }

  fileprivate var isBelow: Bool { self == .less || self == .lessOrEqual }
}

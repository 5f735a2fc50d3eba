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
  /// The value that the database need not know when it plans; nil for none.
  private let unplannedValue: Int?
  private(set) var parameters: [SQLParameter] = []
  /// What is bound to each parameter.
  private(set) var parameterTypes: [SQLParameterType] = []
  /// The places of many parameters; empty for few, which are searched in less time than the first table takes to make.
  private var indices: [SQLParameter: Int] = [:]
  /// Bounds of columns with an index over points in the rows that meet the condition.
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

  /// Adds a parameter, or finds it when it is there already.
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

  /// A bound value.
  mutating func placeholder(ofValue position: Int, notANumber: NotANumberBinding, _ type: SQLParameterType) -> String {
    let parameter = placeholder(.value(position, notANumber: notANumber), type)
    return position == unplannedValue ? dialect.unplanned(parameter) : parameter
  }

  private func index(of parameter: SQLParameter) -> Int? {
    indices.isEmpty ? parameters.firstIndex(of: parameter).map { $0 + 1 } : indices[parameter]
  }

  /// What the dialect says of an operator that not every database has.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` where the database cannot.
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

/// A piece of a statement that stands for one subtree of a query.
struct SQLFragment {
  /// What the piece is, which decides how its neighbours may use it.
  enum Role: Equatable {
    case column
    /// A bound value that is not written down yet: how it is bound depends on the operator.
    case bound(Int)
    case null
    case list(Int)
    /// A value whose elements can be taken one by one, as a database without arrays has them.
    case packedList
    case truth(Bool)
    /// A test, with the operator that joins it when it is a conjunction or disjunction.
    case condition(joinedBy: String?)
    /// Any other value.
    case expression
  }

  /// What it means when the piece comes out as NULL.
  enum Nullness {
    case never
    /// Swift's answer would be false. Only conditions are like that.
    case meansFalse
    /// Swift's answer would be nil.
    case meansNil
  }

  var role: Role
  var sql = ""
  var format: ColumnFormat = .integer
  var nullness = Nullness.never
  /// The column that it is, where an index over points has that.
  var indexedColumn: String?
  /// What indexes have of it, where it is a decimal column.
  var decimalIndex: DecimalIndex?
  /// Whether it is the same for all rows.
  var isConstant = false
  /// Whether whole numbers in it may go beyond those of 64 bits with a sign.
  var isUnsigned = false
  /// Bounds of columns with an index over points that follow from the piece as a condition.
  var bounds: [SpatialBound] = []
  /// How many conditions the operator joins that joins it, without parentheses between them.
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

/// Where the value of a parameter comes from.
///
/// Values are counted without those that are nil, which are never bound.
package enum SQLParameter: Sendable, Hashable {
  /// A value of the query.
  case value(Int, notANumber: NotANumberBinding)
  /// The least text that follows every text that starts with a value of the query.
  case prefixEnd(Int)
  /// A list of the query, whose elements have a format, without those that are nil.
  case list(Int, ColumnFormat)
  /// A list of the query with all its elements, in order.
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

/// The literal for a bound not-a-number.
///
/// It is stored as text, which would equal itself, as Swift's does not.
package enum NotANumberBinding: Sendable, Hashable {
  /// As it is stored.
  case stored
  /// Something that no column holds, for tests of equality.
  case unlikeAnything
}

extension SQLGenerator {
  /// The bounds that a comparison puts on a column that has an index over points.
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

  /// A condition that only rows meet that may meet the whole condition, by an index over points; nil when none is of use.
  ///
  /// One is when both ends of a dimension are given: an open range is half of all rows, as a rule, and reading those one
  /// by one takes longer than reading the table from end to end.
  func spatialTest() -> String? {
    guard !bounds.isEmpty else { return nil }
    let candidates = table.searchableSpatialIndexes.map { ($0, closedDimensions(of: $0)) }
    guard let (index, closed) = candidates.filter({ $0.1 > 0 }).max(by: { isWorse($0, than: $1) }) else { return nil }
    let known = bounds.filter { bound in index.dimensions.contains { $0.column == bound.column } }
    let columns = Set(known.map(\.column))
    // A plain index of the only column finds the same rows, and no others.
    if closed == 1, columns.count == 1, table.indexes.contains(where: { $0.columns.first == known[0].column }) {
      return nil
    }
    return "\(rows.key(0)) IN (\(dialect.keys(in: index, within: known)))"
  }

  /// How many dimensions have both a least and a greatest value.
  private func closedDimensions(of index: SpatialIndexMapping) -> Int {
    index.dimensions.count { dimension in
      [true, false].allSatisfy { side in bounds.contains { $0.column == dimension.column && $0.isLower == side } }
    }
  }

  private func isWorse(_ first: (SpatialIndexMapping, Int), than second: (SpatialIndexMapping, Int)) -> Bool {
    first.1 == second.1 ? first.0.dimensions.count > second.0.dimensions.count : first.1 < second.1
  }
}

/// Decimals are equal by their digits, and ordered by their value. Where an index has the keys of a column, both are decided by
/// keys, so that the index is found; a key is worked out for a row that no index leads to, which takes longer than comparing.
extension SQLGenerator {
  /// The sides of a comparison by order; what is no decimal stays as it is.
  func decimalsInOrder(
    _ left: String, _ lhs: SQLFragment, _ right: String, _ rhs: SQLFragment
  ) -> (left: String, right: String) {
    guard lhs.format == .decimal || rhs.format == .decimal else { return (left, right) }
    if isSearched(lhs, with: rhs) || isSearched(rhs, with: lhs) { return keys(left, right) }
    return (dialect.ordered(decimal: left), right)
  }

  /// The sides of a test of equality, where an index has keys of one and none begins with its digits; else as they are.
  func decimalKeys(
    _ left: String, _ lhs: SQLFragment, _ right: String, _ rhs: SQLFragment
  ) -> (left: String, right: String) {
    let isKey = isSearched(lhs, with: rhs) && lhs.decimalIndex == .key
    return isKey || (isSearched(rhs, with: lhs) && rhs.decimalIndex == .key) ? keys(left, right) : (left, right)
  }

  /// What a test for nil is put to.
  func decimalKey(_ sql: String, _ fragment: SQLFragment) -> String {
    fragment.decimalIndex == .key ? dialect.key(ofDecimal: sql) : sql
  }

  /// Whether a value is an element of a bound list.
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

/// Ranges whose plan needs none of their values.
extension RequestShape {
  /// The place, among the values, of the least one of a range; nil unless the condition is the range of one property and nothing else,
  /// and every row of it is read, or the first ones in the order of the property.
  ///
  /// However wide such a range is, its rows are found the same way. Of a range with further conditions, or of which a few rows are read in
  /// another order, a database that knew nothing of its values could read the whole table for nothing.
  var lowerBoundOfLoneRange: Int? {
    guard let range, !(hasLimit || hasOffset) || isSorted(by: range.property) else { return nil }
    return range.lowerBound
  }

  /// The property of a condition that is a range, and which of the values is the lower bound.
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

  /// Whether the rows are in the order of a column of the entity.
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

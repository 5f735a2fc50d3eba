import PersistenceRuntime
import PersistenceSupport

/// The SQL statement for all requests of one shape (which differ only in values), and where its parameters come from.
package struct RequestStatement: Sendable, Hashable {
  package let sql: String
  package let parameters: [SQLParameter]
  /// The type of each parameter.
  package let parameterTypes: [SQLParameterType]

  /// Writes the statement for requests of a shape.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package init(
    _ shape: RequestShape, table: TableMapping, database: DatabaseMapping, dialect: any SQLDialect
  ) throws {
    var generator = try SQLGenerator(shape, table: table, database: database, dialect: dialect)
    let prefix = generator.rows.prefix(0)
    let own = try generator.condition(of: shape.nodes)
    let spatial = generator.spatialTest()
    let test = table.rowTest(
      includesSubentities: shape.includesSubentities, of: prefix, isSearched: spatial == nil, dialect: dialect)
    let condition = Self.condition([test, spatial].compactMap { $0 }, own)
    let order = try Self.order(
      shape, SortExpression(table: table, prefix: prefix, database: database, dialect: dialect))
    let limit = shape.hasLimit ? generator.placeholder(.limit, .value(.integer)) : nil
    let offset = shape.hasOffset ? generator.placeholder(.offset, .value(.integer)) : nil
    let isLimited = limit != nil || offset != nil
    let limits = isLimited ? " " + dialect.limitClause(limit: limit, offset: offset) : ""
    let source = "FROM \(dialect.table(table.name))\(try generator.rows.joins(of: 0))\(condition)"
    let key = prefix + dialect.quoted(DatabaseMapping.keyColumn)
    switch shape.purpose {
    case .rows:
      let rows = RowStatements(dialect: dialect)
      let columns = rows.selected(
        table, mask: shape.mask, includesSubentities: shape.includesSubentities, from: prefix)
      let originals = rows.originals(
        table, mask: shape.mask, includesSubentities: shape.includesSubentities, from: prefix)
      sql = "SELECT \(columns)\(originals) \(source)\(order)\(limits)"
    case .keys: sql = "SELECT \(key) \(source)\(order)\(limits)"
    case .count:
      sql = isLimited ? "SELECT count(*) FROM (SELECT 1 \(source)\(limits)) AS limited" : "SELECT count(*) \(source)"
    }
    parameters = generator.parameters
    parameterTypes = generator.parameterTypes
  }

  private static func condition(_ tests: [String], _ condition: String?) -> String {
    guard !tests.isEmpty else { return condition.map { " WHERE \($0)" } ?? "" }
    return " WHERE \(tests.joined(separator: " AND "))" + (condition.map { " AND (\($0))" } ?? "")
  }

  private static func order(_ shape: RequestShape, _ expression: SortExpression) throws -> String {
    guard shape.purpose != .count else { return "" }
    var terms = try shape.sort.map { term in
      expression.dialect.orderTerm(try expression.sql(term), isDescending: term.isDescending)
    }
    terms.append(expression.prefix + expression.dialect.quoted(DatabaseMapping.keyColumn))
    return " ORDER BY \(terms.joined(separator: ", "))"
  }
}

/// The SQL statement for all aggregate requests that differ only in values, and where its parameters come from.
package struct AggregateStatement: Sendable {
  package let sql: String
  package let parameters: [SQLParameter]
  /// The type of each parameter.
  package let parameterTypes: [SQLParameterType]
  /// What each column of the result contains.
  package let results: [Output]

  /// What a column of the result contains.
  package struct Output: Sendable, Hashable {
    package let format: ColumnFormat
    /// Whether the column is a sum. A sum may have more digits than any value of its format.
    package let isSum: Bool
  }

  /// Writes the statement for aggregate requests of a shape.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package init(
    _ shape: AggregateShape, table: TableMapping, database: DatabaseMapping, dialect: any SQLDialect
  ) throws {
    var writer = AggregateWriter(
      table: table, database: database, dialect: dialect, shape: shape,
      generator: try SQLGenerator(shape.whole, table: table, database: database, dialect: dialect))
    // The parts are written in the order in which the shape lists them, because the values are numbered in that order.
    let condition = try writer.condition()
    let group = try shape.group.map { [try writer.group($0)] } ?? []
    let columns = try group + shape.columns.map { try writer.column($0) }
    let selected = columns.map(\.sql).joined(separator: ", ")
    // The value by which rows are grouped is the first column of the result.
    let grouping = group.isEmpty ? "" : " GROUP BY 1 ORDER BY \(dialect.orderTerm("1", isDescending: false))"
    sql = "SELECT \(selected) FROM \(try writer.source())\(condition)\(grouping)"
    parameters = writer.generator.parameters
    parameterTypes = writer.generator.parameterTypes
    results = columns.map(\.result)
  }
}

/// Writes the parts of an aggregate statement. The caller writes them in the order of their parameters.
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

  /// An operand's value, and the expression by which values are sorted.
  struct Operand {
    let value: String
    let term: String
    let format: ColumnFormat
  }

  /// The operand of an aggregate function. JSON is converted, so that equal values have equal bytes.
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

  /// A column of the result.
  struct Column {
    let sql: String
    let result: AggregateStatement.Output

    init(_ sql: String, _ format: ColumnFormat, isSum: Bool = false) {
      self.sql = sql
      result = AggregateStatement.Output(format: format, isSum: isSum)
    }
  }

  mutating func group(_ operand: AggregateShape.Operand) throws -> Column {
    let value = try value(operand)
    return Column(value.term, value.format)
  }

  mutating func column(_ column: AggregateShape.Column) throws -> Column {
    guard let operand = column.operand else { return Column("count(*)", .integer) }
    let value = try value(operand)
    return switch column.function {
    case .count: Column("count(\(value.value))", .integer)
    case .countDistinct: Column("count(DISTINCT \(value.value))", .integer)
    case .sum: Column(dialect.sum(value.value, format: value.format), value.format, isSum: true)
    case .minimum: Column(dialect.extreme(value.term, format: value.format, isGreatest: false), value.format)
    case .maximum: Column(dialect.extreme(value.term, format: value.format, isGreatest: true), value.format)
    }
  }
}

/// Caches the statements for requests to the tables of a database, by the shape of the request. Thread-safe.
///
/// All connections of all stores with the same tables share the cache. Each connection prepares the statements itself.
package final class StatementMemory: Sendable {
  package let database: DatabaseMapping
  private let dialect: any SQLDialect
  private let known = Lock(KnownStatements<RequestShape, RequestStatement>())
  private let knownAggregates = Lock(KnownStatements<AggregateShape, AggregateStatement>())

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - database: The tables.
  ///   - dialect: The dialect for which the mapping was created.
  package init(_ database: DatabaseMapping, dialect: any SQLDialect) {
    self.database = database
    self.dialect = dialect
  }

  /// Returns a new cache for the same tables with plain instead of spatial indexes, which need other statements.
  package func withoutSpatialIndexes() -> StatementMemory {
    StatementMemory(database.withoutSpatialIndexes(dialect), dialect: dialect)
  }

  /// Returns the statement for requests of a shape. The first request of the shape creates and caches it.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package func statement(for shape: RequestShape, table: TableMapping) throws -> RequestStatement {
    if let statement = known.withLock({ $0.statements[shape] }) { return statement }
    let statement = try RequestStatement(shape, table: table, database: database, dialect: dialect)
    known.withLock { $0.add(statement, for: shape, nodeCount: shape.nodes.count) }
    return statement
  }

  /// Returns the statement for aggregate requests of a shape. The first request of the shape creates and caches it.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package func statement(for shape: AggregateShape, table: TableMapping) throws -> AggregateStatement {
    if let statement = knownAggregates.withLock({ $0.statements[shape] }) { return statement }
    let statement = try AggregateStatement(shape, table: table, database: database, dialect: dialect)
    knownAggregates.withLock { $0.add(statement, for: shape, nodeCount: shape.whole.nodes.count) }
    return statement
  }
}

/// A cache of a limited number of statements, by the shape of the requests.
private struct KnownStatements<Shape: Hashable & Sendable, Statement: Sendable> {
  private var limit: Int { 512 }
  /// The maximum number of nodes of all shapes together. The shape of a large predicate can have thousands of nodes.
  private var mostNodes: Int { 131_072 }

  private(set) var statements: [Shape: Statement] = [:]
  private var allNodes = 0

  mutating func add(_ statement: Statement, for shape: Shape, nodeCount: Int) {
    guard statements.count < limit, allNodes + nodeCount <= mostNodes else { return }
    if statements.updateValue(statement, forKey: shape) == nil { allNodes += nodeCount }
  }
}

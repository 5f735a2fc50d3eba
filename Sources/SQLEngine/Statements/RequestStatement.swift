import PersistenceRuntime

/// A statement that answers every request of one shape, and where its parameters come from.
package struct RequestStatement: Sendable, Hashable {
  package let sql: String
  package let parameters: [SQLParameter]

  /// Writes the statement for the requests of a shape.
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
      let columns = RowStatements(dialect: dialect).selected(
        table, mask: shape.mask, includesSubentities: shape.includesSubentities, from: prefix)
      sql = "SELECT \(columns) \(source)\(order)\(limits)"
    case .keys: sql = "SELECT \(key) \(source)\(order)\(limits)"
    case .count:
      sql = isLimited ? "SELECT count(*) FROM (SELECT 1 \(source)\(limits)) AS limited" : "SELECT count(*) \(source)"
    }
    parameters = generator.parameters
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

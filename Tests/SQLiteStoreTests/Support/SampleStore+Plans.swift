import PersistenceCore
import SQLEngine

@testable import SQLiteStore

extension SampleStore {
  /// The SQL condition that a query of items becomes.
  func condition(_ build: (inout QueryTree) -> Void) throws -> String {
    let sql = try statement(.matching(tree(build)), purpose: .count).sql
    let prefix = #"SELECT count(*) FROM "Item""#
    return sql.replacing(prefix + " WHERE ", with: "").replacing(prefix, with: "")
  }

  func statement(
    _ selection: FetchSelection, sort: [SortTerm] = [], limit: Int? = nil, offset: Int = 0,
    mask: UInt64 = PropertyMask.all, purpose: RequestPurpose = .rows
  ) throws -> RequestStatement {
    let request = FetchRequest(
      entity: entities.item, selection: selection, sort: sort, limit: limit, offset: offset, mask: mask)
    let table = try engine.database.table(for: entities.item)
    let shape = RequestShape(request, purpose: purpose, table: table)
    return try RequestStatement(shape, table: table, database: engine.database, dialect: SQLiteDialect())
  }

  /// SQLite's query plan for a query of items.
  func plan(sort: [SortTerm] = [], limit: Int? = nil, _ build: (inout QueryTree) -> Void) throws -> String {
    try plan(statement(.matching(tree(build)), sort: sort, limit: limit, mask: 0).sql)
  }

  func plan(_ sql: String) throws -> String { try engine.plan(sql) }

  /// The number of statements that the idle reader connection has prepared for requests.
  func missCount() throws -> Int {
    let connection = try engine.pool.takeReader()
    defer { engine.pool.giveBackReader(connection) }
    return connection.missCount
  }
}

extension SQLiteStoreEngine {
  /// SQLite's query plan for a statement.
  func plan(_ sql: String) throws -> String {
    let connection = try pool.takeReader()
    defer { pool.giveBackReader(connection) }
    let statement = try SQLiteStatement("EXPLAIN QUERY PLAN " + sql, on: connection.handle)
    var lines: [String] = []
    while try statement.step() { lines.append(statement.text(3) ?? "") }
    return lines.joined(separator: "\n")
  }
}

extension QueryTree {
  /// Appends the condition `property operator value`.
  mutating func compare(_ property: Int, _ node: QueryNode, _ value: QueryValue) {
    append(.property(property))
    append(value)
    append(node)
  }

  /// Appends nodes without values.
  mutating func append(_ nodes: QueryNode...) {
    for node in nodes { append(node) }
  }
}

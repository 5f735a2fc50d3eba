import CSQLite
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// A connection with its statements.
///
/// Unchecked because it has mutable state and no lock: one thread at a time has it. The pool sees to that for readers,
/// and the gate for the writer; handing over happens under their locks.
final class SQLiteConnection: @unchecked Sendable {
  let handle: SQLiteHandle
  let statementMemory: StatementMemory
  /// The tables of ``statementMemory``, which every request asks for.
  let database: DatabaseMapping
  /// The version of the file that was last looked into.
  var seenVersion: UInt32?
  /// The originals of the batch of rows that is being written.
  let originals = OriginalNotes()
  private var requests = StatementCache()
  private var tables: [TableStatements] = []
  private var others: [String: SQLiteStatement] = [:]
  private var members: [MemberShape: SQLiteStatement] = [:]
  private let dialect = SQLiteDialect()

  init(_ handle: SQLiteHandle, statementMemory: StatementMemory) {
    self.handle = handle
    self.statementMemory = statementMemory
    self.database = statementMemory.database
  }

  /// How many requests had no prepared statement.
  var missCount: Int { requests.missCount }

  /// Runs a request's statement, bound and standing before its first row.
  func withStatement<Result>(
    for request: FetchRequest, purpose: RequestPurpose, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    let table = try database.table(for: request.entity)
    if case .key(let key) = request.selection {
      let mask = purpose == .rows ? request.mask & request.entity.storedMask : 0
      return try withLease(lookUp(table, mask: mask)) { statement in
        try statement.bind(key, at: 1)
        return try body(statement)
      }
    }
    return try withLease(statement(for: request, purpose: purpose, table: table)) { statement in
      try statement.bind(request)
      return try body(statement)
    }
  }

  /// Runs a statement that is used again and again under its own text.
  func withStatement<Result>(
    _ sql: String, parameters: [SQLParameter] = [], _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    try withLease(statement(sql, parameters: parameters), body)
  }

  func run(_ sql: String) throws {
    try withStatement(sql) { try $0.run() }
  }

  func withInsert(into table: TableMapping, _ body: (SQLiteStatement) throws -> Void) throws {
    let statement = try tables[index(of: table)].insert {
      try SQLiteStatement(RowStatements(dialect: dialect).insert(into: table), on: handle)
    }
    try withLease(statement, body)
  }

  func withUpdate(_ table: TableMapping, mask: UInt64, _ body: (SQLiteStatement) throws -> Void) throws {
    let statement = try tables[index(of: table)].update(mask: mask) {
      try SQLiteStatement(RowStatements(dialect: dialect).update(table, mask: mask), on: handle)
    }
    try withLease(statement, body)
  }

  func withDelete<Result>(from table: TableMapping, _ body: (SQLiteStatement) throws -> Result) throws -> Result {
    let statement = try tables[index(of: table)].delete {
      try SQLiteStatement(RowStatements(dialect: dialect).delete(from: table), on: handle)
    }
    return try withLease(statement, body)
  }

  /// Runs the statement that finds the next key of a table.
  func withNextKey<Result>(
    of table: TableMapping, sql: @autoclosure () -> String, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    let statement = try tables[index(of: table)].nextKey { try SQLiteStatement(sql(), on: handle) }
    return try withLease(statement, body)
  }

  /// Runs the statement that reads the members of relationships of a shape, which is written when it is first needed.
  func withMembers<Result>(
    _ shape: MemberShape, sql: @autoclosure () throws -> String, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    if let known = members[shape] { return try withLease(known, body) }
    let statement = try SQLiteStatement(sql(), on: handle)
    members[shape] = statement
    return try withLease(statement, body)
  }

  private func withLease<Result>(
    _ statement: SQLiteStatement, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    let leased = try statement.lease()
    defer { leased.giveBack() }
    return try body(leased)
  }

  /// Where the statements of a table are, for which room is made when the first is needed.
  private func index(of table: TableMapping) -> Int {
    if tables.isEmpty { tables = Array(repeating: TableStatements(), count: database.tables.count) }
    return table.index
  }

  private func lookUp(_ table: TableMapping, mask: UInt64) throws -> SQLiteStatement {
    try tables[index(of: table)].lookUp(mask: mask) {
      try SQLiteStatement(RowStatements(dialect: dialect).lookUp(table, mask: mask), on: handle)
    }
  }

  private func statement(
    for request: FetchRequest, purpose: RequestPurpose, table: TableMapping
  ) throws -> SQLiteStatement {
    let shape = RequestShape(request, purpose: purpose, table: table)
    return try requests.statement(for: shape) {
      let written = try statementMemory.statement(for: shape, table: table)
      return try SQLiteStatement(written.sql, parameters: written.parameters, on: handle)
    }
  }

  private func statement(_ sql: String, parameters: [SQLParameter]) throws -> SQLiteStatement {
    if let statement = others[sql], statement.hasParameters(parameters) { return statement }
    let statement = try SQLiteStatement(sql, parameters: parameters, on: handle)
    // So many of a predicate that is made of a thousand others would be too much.
    guard sql.utf8.count <= 16_384 else { return statement }
    if others.count >= StatementCache.capacity { others.removeAll() }
    others[sql] = statement
    return statement
  }
}

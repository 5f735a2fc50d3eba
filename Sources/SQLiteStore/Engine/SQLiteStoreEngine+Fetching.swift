import PersistenceRuntime
import PersistenceSupport
import SQLEngine

extension SQLiteStoreEngine {
  package func fetch(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    try withConnection(of: transaction, for: request) { try $0.fetch(request, in: self, body) }
  }

  package func count(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> Int {
    try withConnection(of: transaction, for: request) { try $0.count(request) }
  }

  package func explain(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> StatementExplanation
  {
    try withConnection(of: transaction) { try $0.explain(request) }
  }

  package func aggregate(
    _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    try withConnection(of: transaction) { try $0.aggregate(request, in: self, body) }
  }

  package func keys(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> [Int64] {
    try withConnection(of: transaction, for: request) { try $0.keys(request) }
  }

  package func keys(
    of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64], transaction: (any StoreTransaction)?
  ) throws -> [Int64] {
    try withConnection(of: transaction) { try $0.keys(of: relationship, in: entity, owners: owners) }
  }

  package func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    try withConnection(of: transaction) { try $0.members(request, in: self, body) }
  }

  /// Lends the rows of a statement that stands before its first, with originals where the table has any.
  ///
  /// - Parameter columns: What the rows have.
  func lendRows(
    of statement: SQLiteStatement, on connection: SQLiteConnection, _ columns: () throws -> OriginalRows.Columns,
    _ body: (EngineRows) throws -> Void
  ) throws {
    // One step ahead: it takes the snapshot in which the table has originals or not.
    guard try statement.step() else { return try body(rows(of: statement, ColumnFunctionTables.none)) }
    let tables = try connection.tablesWithOriginals()
    guard !tables.isEmpty else {
      return try body(rows(of: statement, ColumnFunctionTables.read, isOnFirstRow: true))
    }
    let columns = try columns()
    guard tables.contains(columns.table) else {
      return try body(rows(of: statement, ColumnFunctionTables.read, isOnFirstRow: true))
    }
    try connection.withStatement(OriginalsTable.lookUp) { lookUp in
      let originals = try OriginalRows(statement, columns, lookUp: lookUp, on: connection)
      try withExtendedLifetime(originals) {
        try body(rows(of: statement, OriginalRows.functions, at: originals.row, isOnFirstRow: true))
      }
      try originals.throwFailure()
    }
  }

  /// The rows of a statement, with what opens values that are not in them as they are.
  func rows(
    of statement: SQLiteStatement, _ functions: UnsafePointer<ColumnReadFunctions> = ColumnFunctionTables.read,
    at row: OpaquePointer? = nil, isOnFirstRow: Bool = false
  ) -> EngineRows {
    EngineRows(
      row: row ?? statement.pointer, functions: functions, error: statement.error, externalValues: externalFolder,
      cipher: cipher, isOnFirstRow: isOnFirstRow)
  }

  private func withConnection<Result>(
    of transaction: (any StoreTransaction)?, for request: FetchRequest? = nil,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    let watches = request?.stopsWhenCancelled ?? false
    if let transaction {
      let connection = try connection(of: transaction)
      return try connection.handle.watchingCancellation(watches) { try body(connection) }
    }
    let connection = try pool.takeReader()
    defer { pool.giveBackReader(connection) }
    let result = try connection.handle.watchingCancellation(watches) { try body(connection) }
    if request?.isSearch == true { noticeForeignChanges(connection) }
    return result
  }

  private func connection(of transaction: any StoreTransaction) throws -> SQLiteConnection {
    guard let own = transaction as? SQLiteTransaction, own.engine === self else {
      throw SwiftDataError(
        .storeFailure, "A fetch from the store at \(configuration.path) was given a transaction of another store.")
    }
    return try own.usable()
  }
}

extension FetchRequest {
  /// Whether rows are looked for, and not looked up by their keys.
  fileprivate var isSearch: Bool {
    switch selection {
    case .all, .matching: true
    case .key, .keys: false
    }
  }
}

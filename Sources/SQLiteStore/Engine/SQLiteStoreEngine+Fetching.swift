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

  /// The rows of a statement, with what opens values that are not in them as they are.
  func rows(of statement: SQLiteStatement) -> EngineRows {
    EngineRows(
      row: statement.pointer, functions: ColumnFunctionTables.read, error: statement.error,
      externalValues: externalFolder, cipher: cipher)
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

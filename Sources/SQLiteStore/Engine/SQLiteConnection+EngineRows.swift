import PersistenceRuntime
import PersistenceSupport
import SQLEngine

// What a connection reads, as rows of the engine: with what opens values that are not in them as they are.

extension SQLiteConnection {
  /// Reads the rows of a request.
  func fetch(
    _ request: FetchRequest, in engine: SQLiteStoreEngine, _ body: (EngineRows) throws -> Void
  ) throws {
    func columns() throws -> OriginalRows.Columns {
      OriginalRows.Columns(
        try database.table(for: request.entity), mask: request.mask & request.entity.storedMask,
        includesSubentities: request.readsSubentities)
    }
    if case .keys(let keys) = request.selection {
      return try rows(of: keys, request) { try engine.lendRows(of: $0, on: self, columns, body) }
    }
    try withStatement(for: request, purpose: .rows) { statement in
      try engine.lendRows(of: statement, on: self, columns, body)
    }
  }

  /// Calculates over the rows of a request.
  func aggregate(
    _ request: AggregateRequest, in engine: SQLiteStoreEngine, _ body: (EngineRows) throws -> Void
  ) throws {
    let table = try database.table(for: request.entity)
    let query = AggregateQuery(request, table: table)
    let written = try statementMemory.statement(for: query.shape, table: table)
    try withStatement(written.sql, parameters: written.parameters) { statement in
      try statement.bind(FetchRequest(entity: request.entity, selection: .matching(query.values)))
      try body(engine.rows(of: statement))
    }
  }

  /// Reads the members of a relationship.
  func members(
    _ request: MemberRequest, in engine: SQLiteStoreEngine, _ body: (EngineRows) throws -> Void
  ) throws {
    let table = try database.table(for: request.destination)
    let shape = MemberShape(request)
    try withMembers(shape, sql: try sql(request, table: table)) { statement in
      switch request.owners {
      case .one(let key): try statement.bind(key, at: 1)
      case .some(let keys): try statement.bind(PackedList(keys: keys), at: 1)
      case .all: break
      }
      defer { if case .some = request.owners { statement.clearBindings() } }
      try engine.lendRows(of: statement, on: self, { OriginalRows.Columns(table, mask: request.mask) }, body)
    }
  }

  private func sql(_ request: MemberRequest, table: TableMapping) throws -> String {
    let statements = MemberStatements(dialect: SQLiteDialect())
    if case .links = request.relationship.storage {
      return statements.paired(table, by: try link(of: request.relationship, in: request.entity), request.scope)
    }
    guard let inverse = request.relationship.inverse else {
      throw SwiftDataError(.storeFailure, "\(request.relationship.path) has no column to be read from.")
    }
    return statements.referring(
      table, at: inverse.position, request.scope, mask: request.mask, repeatsOwner: !request.hasOwnerAmongColumns)
  }
}

extension FetchRequest {
  /// Whether rows have columns of entities that inherit. A look-up by key always has.
  fileprivate var readsSubentities: Bool {
    switch selection {
    case .key, .keys: true
    case .all, .matching: includesSubentities
    }
  }
}

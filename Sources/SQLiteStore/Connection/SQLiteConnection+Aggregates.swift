import PersistenceCore
import SQLEngine

extension SQLiteConnection {
  /// Calculates over the rows of a request.
  func aggregate(
    _ request: AggregateRequest, in engine: SQLiteStoreEngine, _ body: (EngineRows) throws -> Void
  ) throws {
    let table = try database.table(for: request.entity)
    let written = try AggregateStatement(request, table: table, database: database, dialect: SQLiteDialect())
    try withStatement(written.sql, parameters: written.parameters) { statement in
      try statement.bind(FetchRequest(entity: request.entity, selection: .matching(written.values)))
      try body(engine.rows(of: statement))
    }
  }
}

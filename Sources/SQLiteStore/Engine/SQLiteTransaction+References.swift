import CSQLite
import PersistenceRuntime
import SQLEngine

// What the database does by the rules of references, and what is done about references that lead nowhere.

extension SQLiteTransaction {
  func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows] {
    let connection = try usable()
    let watch = RowWatch()
    isWatchingRows = true
    defer { isWatchingRows = false }
    try connection.handle.watchingRows(watch, body)
    try removeOriginals(ofRowsIn: watch, on: connection)
    return connection.database.tables.compactMap { table in
      guard !table.isShared else { return nil }
      var rows = AffectedRows(entity: table.entity)
      (rows.changed, rows.deleted) = watch.rows(ofTableNamed: table.name)
      return rows.changed.isEmpty && rows.deleted.isEmpty ? nil : rows
    }
  }

  func hasBrokenReferences() throws -> Bool {
    try usable().handle.pendingReferenceCount > 0
  }

  func dropReferences(_ relationships: [(EntityLayout, RelationshipLayout)], to keys: [Int64]) throws {
    let connection = try usable()
    let dialect = SQLiteDialect()
    for (entity, relationship) in relationships {
      if case .links = relationship.storage {
        let link = try connection.link(of: relationship, in: entity)
        try run(PairStatements(dialect: dialect).deleteAll(from: link, of: link.target), keys, on: connection)
      } else {
        let table = try connection.database.table(for: entity)
        guard let sql = RowStatements(dialect: dialect).clear(table, at: relationship.position) else { continue }
        try run(sql, keys, on: connection)
      }
    }
  }

  func dropPairs(_ relationships: [(EntityLayout, RelationshipLayout)], of keys: [Int64]) throws {
    let connection = try usable()
    for (entity, relationship) in relationships {
      let link = try connection.link(of: relationship, in: entity)
      try run(PairStatements(dialect: SQLiteDialect()).deleteAll(from: link, of: link.owner), keys, on: connection)
    }
  }

  private func run(_ sql: String, _ keys: [Int64], on connection: SQLiteConnection) throws {
    try connection.withStatement(sql) { statement in
      for key in keys {
        try statement.bind(key, at: 1)
        try statement.run()
      }
    }
  }
}

extension SQLiteHandle {
  /// How many references lead to no row, as far as the open transaction made them so.
  var pendingReferenceCount: Int32 {
    var (pending, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &pending, &highest, 0)
    return pending
  }
}

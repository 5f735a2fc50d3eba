import CSQLite
import CSQLiteShim
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

extension SQLiteTransaction {
  func reserveKeys(_ count: Int, for entity: EntityLayout) throws -> Int64 {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    let first = try connection.nextKey(of: table)
    guard count > 0 else { return first }
    let (next, isOver) = first.addingReportingOverflow(Int64(count))
    guard !isOver else {
      throw SwiftDataError(
        .storeFull,
        "\(entity.name) has used up all primary keys of the store at \(engine.configuration.path): the next is \(first), "
          + "and \(count) are needed. If another program added a row with a key as great as that, give it a lower one "
          + "or delete it there, and save again.")
    }
    try connection.setNextKey(next, of: table)
    return first
  }

  @discardableResult
  func insert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws -> [RefusedRow] {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    connection.originals.begin()
    try connection.withInsert(into: table) { statement in
      try body(
        rows(of: statement, on: connection, ColumnFunctionTables.insert, isConflict: SQLiteConstraint.isUniqueness))
    }
    try connection.storeOriginals(in: table) { table.column(ofInsertion: $0) }
    return []
  }

  func upsert(
    into entity: EntityLayout, count: Int, _ body: (Int, EngineStatement) throws -> Void
  ) throws -> [UpsertedRow] {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    let sql = RowStatements(dialect: SQLiteDialect()).upsert(into: table)
    let hasOriginals = try connection.tablesWithOriginals().contains(table.name)
    return try connection.withStatement(sql) { statement in
      let lent = rows(of: statement, on: connection, ColumnFunctionTables.upsert)
      var result: [UpsertedRow] = []
      for index in 0..<count {
        connection.originals.begin()
        try body(index, lent)
        let row = UpsertedRow(
          key: statement.integer(0), entityName: entity.inheritance == nil ? nil : statement.text(1))
        // The statement stands on the row that it returned, and may still fail when it is reset.
        try statement.check(sqlite3_reset(statement.pointer))
        result.append(row)
        if hasOriginals {
          try connection.removeOriginals(ofTableNamed: table.name, keys: [row.key], columns: table.columns.map(\.name))
        }
        try connection.storeOriginals(in: table, ofRow: row.key) { table.column(ofInsertion: $0) }
        if let name = row.entityName, name != entity.name { break }
      }
      return result
    }
  }

  func vacate(_ entity: EntityLayout, mask: UInt64, keys: [Int64]) throws {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    guard let sql = RowStatements(dialect: SQLiteDialect()).vacate(table, mask: mask) else { return }
    try connection.withStatement(sql) { statement in
      for key in keys {
        try statement.bind(key, at: 1)
        try statement.run()
      }
    }
  }

  func redirect(_ relationships: [(EntityLayout, RelationshipLayout)], _ keys: [RedirectedKey]) throws {
    let connection = try usable()
    for (entity, relationship) in relationships {
      let table = try connection.database.table(for: entity)
      let sql = RowStatements(dialect: SQLiteDialect()).redirect(table, at: relationship.position)
      try connection.withStatement(sql) { statement in
        for key in keys {
          try statement.bind(key.old, at: 1)
          try statement.bind(key.new, at: 2)
          try statement.run()
        }
      }
    }
  }

  @discardableResult
  func update(
    _ entity: EntityLayout, mask: UInt64, _ body: (EngineStatement) throws -> Void
  ) throws -> [RefusedRow] {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    let hasOriginals = try connection.tablesWithOriginals().contains(table.name)
    connection.originals.begin(wantsKeys: hasOriginals)
    try connection.withUpdate(table, mask: mask & entity.storedMask) { statement in
      try body(
        rows(of: statement, on: connection, ColumnFunctionTables.update, isConflict: SQLiteConstraint.isUniqueness))
    }
    guard hasOriginals || !connection.originals.isEmpty else { return [] }
    let columns = table.columns(in: mask & entity.storedMask)
    if hasOriginals {
      try connection.removeOriginals(
        ofTableNamed: table.name, keys: connection.originals.keys,
        columns: columns.map(\.name))
    }
    try connection.storeOriginals(in: table) { columns.indices.contains($0 - 1) ? columns[$0 - 1] : nil }
    return []
  }

  @discardableResult
  func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int {
    let connection = try usable()
    guard !keys.isEmpty else { return 0 }
    return try removingOriginals(on: connection) { try delete(keys, of: entity, on: connection) }
  }

  private func delete(_ keys: [Int64], of entity: EntityLayout, on connection: SQLiteConnection) throws -> Int {
    try connection.withDelete(from: connection.database.table(for: entity)) { statement in
      var count = 0
      for key in keys {
        try statement.bind(key, at: 1)
        let code = osd_sqlite_step_update(statement.pointer)
        if code == SQLITE_OK { count += 1 }
        guard code == SQLITE_OK || code == EngineStatement.missingRowCode else { throw statement.error(code) }
      }
      return count
    }
  }

  func delete(_ request: FetchRequest) throws -> [Int64] {
    let keys = try usable().keys(request)
    try delete(from: request.entity, keys: keys)
    return keys
  }

  /// Deletes every row of every table. Keys that were used stay used.
  func deleteEverything() throws {
    let connection = try usable()
    let statements = RowStatements(dialect: SQLiteDialect())
    for table in connection.database.tables {
      for link in table.links.values where link.isDefining {
        try connection.handle.execute(statements.deleteAll(from: link.name))
      }
      try connection.handle.execute(statements.deleteAll(from: table.name))
    }
    if try !connection.tablesWithOriginals().isEmpty {
      try connection.handle.execute(statements.deleteAll(from: OriginalStatements.tableName))
    }
  }

  /// Hands a statement over, with what takes values that do not go into rows as they are.
  private func rows(
    of statement: SQLiteStatement, on connection: SQLiteConnection, _ functions: UnsafePointer<ColumnWriteFunctions>,
    isConflict: @escaping (Int32) -> Bool = { _ in false }
  ) -> EngineStatement {
    EngineStatement(
      statement: statement.pointer, functions: functions, isConflict: isConflict, externalValues: external,
      cipher: engine.cipher, originals: connection.originals, error: statement.error)
  }
}

extension TableMapping {
  /// The column that a parameter of an insertion is for: the first is the primary key.
  fileprivate func column(ofInsertion parameter: Int) -> ColumnMapping? {
    columns.indices.contains(parameter - 2) ? columns[parameter - 2] : nil
  }
}

import CSQLite
import CSQLiteShim
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// The write transaction of a SQLite store.
final class SQLiteTransaction: CascadingTransaction {
  let engine: SQLiteStoreEngine
  /// The write connection; nil after the end of the transaction, so that a closed store can close the connection.
  private var connection: SQLiteConnection?
  /// Writes and removes the external files of values; nil if the store has none.
  let external: ExternalTransaction?
  private let keepsReferences: Bool
  /// Whether the transaction is part of a migration's transaction.
  private let isNested: Bool
  /// The name of the savepoint with which a nested transaction begins.
  static let nestedName = "osd_nested"
  /// The number of nested savepoints.
  private var savepointDepth = 0
  /// True while an enclosing call records the rows that are deleted, including deletions by foreign key actions.
  var isWatchingRows = false
  /// The state of the history after the commit; nil if the transaction has added no record.
  var appended: HistoryProgress?
  /// The number of the last record before the transaction; nil until the transaction adds a record.
  var formerRecord: Int64?

  init(
    engine: SQLiteStoreEngine, connection: SQLiteConnection, external: ExternalTransaction?, keepsReferences: Bool,
    isNested: Bool = false
  ) {
    self.engine = engine
    self.connection = connection
    self.external = external
    self.keepsReferences = keepsReferences
    self.isNested = isNested
  }

  deinit {
    rollBack()
  }

  /// The connection, if the transaction is open. Throws otherwise.
  ///
  /// After some errors SQLite itself rolls the transaction back, and would commit each further statement separately.
  func usable() throws -> SQLiteConnection {
    let connection = try owned()
    guard connection.handle.isInTransaction else { throw engine.undoneError }
    return connection
  }

  /// The connection. Throws after the end of the transaction.
  private func owned() throws -> SQLiteConnection {
    guard let connection else {
      throw SwiftDataError(
        .storeFailure,
        "A transaction on the store at \(engine.configuration.path) was used after its end. Begin a new one.")
    }
    engine.pool.adoptWriter()
    return connection
  }

  func prepareCommit() throws {
    let connection = try inTransaction()
    do {
      _ = try external?.prepareCommit()
      try checkReferences(connection)
      // Writes changed pages now. With a full disk, or a reader of a store without a log, this fails before COMMIT.
      try connection.handle.check(sqlite3_db_cacheflush(connection.handle.pointer))
    } catch {
      let described = describe(error, connection)
      rollBack()
      throw described
    }
  }

  func commit() throws {
    let connection = try inTransaction()
    var superfluous: [ExternalReference] = []
    // If the versions are equal, no other connection has committed since the tables with originals were listed. During
    // the transaction, none can commit.
    let known = connection.handle.originals.version
    let knowsOriginals = known != nil && known == connection.handle.dataVersion
    do {
      superfluous = try external?.prepareCommit() ?? []
      if isNested { try checkReferences(connection) }
      if isNested { try connection.run("RELEASE \(Self.nestedName)") } else { try connection.run(.commit) }
    } catch {
      let described = describe(error, connection)
      rollBack()
      throw described
    }
    connection.committedVersion = connection.handle.dataVersion
    if knowsOriginals { connection.handle.originals.version = connection.committedVersion }
    if let appended { engine.noteHistory(appended) }
    // Within a migration, files are only removed once the migration has committed.
    if !isNested { external?.didCommit(superfluous: superfluous) }
    end()
  }

  /// The connection, if the transaction is open. Otherwise ends the transaction and throws.
  private func inTransaction() throws -> SQLiteConnection {
    do {
      return try usable()
    } catch {
      rollBack()
      throw error
    }
  }

  func rollBack() {
    guard let connection else { return }
    engine.pool.adoptWriter()
    engine.memoryReads?.transactionDidUndo()
    if connection.handle.isInTransaction {
      external?.undo()
      if isNested {
        try? connection.handle.execute("ROLLBACK TO \(Self.nestedName); RELEASE \(Self.nestedName)")
      } else {
        try? connection.run("ROLLBACK")
      }
    }
    connection.handle.originals.version = nil
    connection.handle.tombstoneSchema = nil
    end()
  }

  // Savepoints are named by their depth, so that a few cached statements suffice for all savepoints.

  func savepoint() throws -> Int {
    try usable().run("SAVEPOINT osd\(savepointDepth + 1)")
    savepointDepth += 1
    external?.mark(savepointDepth)
    return savepointDepth
  }

  func release(_ savepoint: Int) throws {
    try usable().run("RELEASE osd\(savepoint)")
    forget(savepoint)
  }

  func rollBack(to savepoint: Int) throws {
    let connection = try usable()
    try connection.run("ROLLBACK TO osd\(savepoint)")
    engine.memoryReads?.transactionDidUndo()
    connection.handle.originals.version = nil
    connection.handle.tombstoneSchema = nil
    if appended != nil { try noteLastRecord(on: connection) }
    external?.rollBack(to: savepoint)
    try connection.run("RELEASE osd\(savepoint)")
    forget(savepoint)
  }

  /// Removes a savepoint and, as SQLite does, the savepoints inside it.
  private func forget(_ savepoint: Int) {
    savepointDepth = savepoint - 1
    external?.forgetMarks(from: savepoint)
  }

  private func end() {
    if !keepsReferences { try? connection?.handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, true) }
    connection = nil
    if isNested { engine.nesting.withLock { $0 = false } }
    engine.transactionDidEnd()
  }

  /// Throws if a reference is broken. SQLite checks references only at the outermost commit, when it is no longer known
  /// which nested transaction broke one.
  private func checkReferences(_ connection: SQLiteConnection) throws {
    guard connection.handle.pendingReferenceCount > 0 else { return }
    let code = SQLITE_CONSTRAINT | SQLiteConstraint.foreignKey.rawValue << 8
    throw SQLiteError(code: code, message: "FOREIGN KEY constraint failed").storeError(path: connection.handle.path)
  }

  /// Adds the broken references to SQLite's error message. Call this before the rollback, while the rows still exist.
  private func describe(_ error: any Error, _ connection: SQLiteConnection) -> any Error {
    guard let known = error as? SwiftDataError, let cause = known.underlyingError as? SQLiteError,
      cause.primaryCode == SQLITE_CONSTRAINT,
      let broken = try? connection.brokenReferences(), !broken.isEmpty
    else { return error }
    return SwiftDataError(
      known.kind,
      "\(broken.words): these refer to models that are not in the store at \(engine.configuration.path). "
        + "Insert those too, or delete or change what refers to them.",
      underlying: cause)
  }
}

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
    // Reads the list of tables with originals before the loop, which uses the list and may add this table to it.
    _ = try connection.tablesWithOriginals()
    return try connection.withStatement(sql) { statement in
      let lent = rows(of: statement, on: connection, ColumnFunctionTables.upsert)
      var result: [UpsertedRow] = []
      for index in 0..<count {
        connection.originals.begin()
        try body(index, lent)
        let row = UpsertedRow(
          key: statement.integer(0), entityName: entity.inheritance == nil ? nil : statement.text(1))
        // The statement has returned a row, and may still fail when it is reset.
        try statement.check(sqlite3_reset(statement.pointer))
        result.append(row)
        if connection.handle.originals.tables.contains(table.name) {
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
    _ entity: EntityLayout, mask: UInt64, expecting expected: [[QueryValue]]?, _ body: (EngineStatement) throws -> Void
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

  var appliesDeleteRules: Bool { keepsReferences }

  @discardableResult
  func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int {
    let connection = try usable()
    guard !keys.isEmpty else { return 0 }
    try dropLeftTombstones()
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

  /// The write transaction excludes all others, so `keys` is not needed.
  func deleteRows(
    of entity: EntityLayout, referringAt position: Int, to owners: [Int64], expecting keys: [Int64]?
  ) throws -> [Int64] {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    guard let column = table.columns(of: position).first?.name else { return [] }
    try dropLeftTombstones()
    return try removingOriginals(on: connection) {
      try deleteRows(of: table, referringBy: column, to: owners, on: connection)
    }
  }

  private func deleteRows(
    of table: TableMapping, referringBy column: String, to owners: [Int64], on connection: SQLiteConnection
  ) throws -> [Int64] {
    let statements = RowStatements(dialect: SQLiteDialect())
    let watch = RowWatch()
    // With RETURNING, SQLite would copy the keys into a temporary table. Reading them first takes longer, too.
    try connection.handle.watchingRows(watch) {
      try connection.withStatement(statements.delete(from: table, referringBy: column)) { delete in
        for owner in owners {
          try delete.bind(owner, at: 1)
          try delete.run()
        }
      }
    }
    return watch.deletedKeys(ofTableNamed: table.name)
  }

  func delete(_ request: FetchRequest) throws -> [Int64] {
    let keys = try usable().keys(request)
    try delete(from: request.entity, keys: keys)
    return keys
  }

  /// Deletes all rows of all tables. Used keys are not reused.
  func deleteEverything() throws {
    let connection = try usable()
    let statements = RowStatements(dialect: SQLiteDialect())
    // With tombstone triggers, SQLite would delete row by row instead of truncating the tables. The values that the
    // triggers store would be deleted anyway.
    connection.handle.tombstoneSchema = nil
    try TombstoneTriggers.remove(from: connection.handle)
    for table in connection.database.tables {
      for link in table.links.values where link.isDefining {
        try connection.handle.execute(statements.deleteAll(from: link.name))
      }
      try connection.handle.execute(statements.deleteAll(from: table.name))
    }
    if try !connection.tablesWithOriginals().isEmpty {
      try connection.handle.execute(statements.deleteAll(from: OriginalStatements.tableName))
    }
    try eraseHistory(on: connection)
  }

  /// The statement for writing rows, together with the objects that write external values and encrypt values.
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
  /// The column that a parameter of an insertion sets; nil for the first parameter, which is the primary key.
  fileprivate func column(ofInsertion parameter: Int) -> ColumnMapping? {
    columns.indices.contains(parameter - 2) ? columns[parameter - 2] : nil
  }
}

extension SQLiteTransaction {
  func changePairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]
  ) throws {
    let connection = try usable()
    let link = try connection.link(of: relationship, in: entity)
    try connection.remove(removing, from: link)
    try connection.add(adding, to: link)
  }

  func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, _ orders: [PairOrder]) throws {
    let connection = try usable()
    try connection.order(connection.link(of: relationship, in: entity), orders)
  }

  func setPositions(_ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout)
    throws
  {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    let sql = RowStatements(dialect: SQLiteDialect()).setPosition(in: table, at: relationship.position)
    try connection.setRanks(positions, sql)
  }
}

// Reports the rows that foreign key actions delete or change, finds broken references, and removes references.

extension SQLiteTransaction {
  func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows] {
    let connection = try usable()
    try dropLeftTombstones()
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
  /// Zero if the open transaction has no broken references.
  var pendingReferenceCount: Int32 {
    var (pending, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &pending, &highest, 0)
    return pending
  }
}

// The originals (exact values that differ from their stored form) of rows that a transaction writes or deletes. If
// neither these rows nor the table have originals, no statement runs.

extension SQLiteConnection {
  /// Stores the originals of a batch of written rows.
  ///
  /// - Parameters:
  ///   - column: Returns the column that a parameter of the row's statement sets.
  ///   - key: The key of the row; nil if each recorded original names its row.
  func storeOriginals(in table: TableMapping, ofRow key: Int64? = nil, column: (Int) -> ColumnMapping?) throws {
    let notes = originals.take()
    guard !notes.isEmpty else { return }
    handle.noteOriginals(inTableNamed: table.name)
    try withStoringStatement { statement in
      for note in notes {
        guard let column = column(Int(note.parameter)) else { continue }
        try statement.store(note.original, table: table.name, key: key ?? note.key, column: column.name)
      }
    }
  }

  func storeOriginal(_ original: String, inTableNamed table: String, key: Int64, column: String) throws {
    handle.noteOriginals(inTableNamed: table)
    try withStoringStatement { try $0.store(original, table: table, key: key, column: column) }
  }

  /// Removes the originals of rows.
  ///
  /// - Parameter columns: The columns whose originals are removed; nil for all.
  func removeOriginals(ofTableNamed table: String, keys: [Int64], columns: [String]? = nil) throws {
    guard !keys.isEmpty, columns?.isEmpty != true else { return }
    try withStatement(OriginalsTable.statements.remove(columns: columns)) { statement in
      try statement.bind(table, at: 1)
      try statement.bind(PackedList(keys: keys), at: 2)
      defer { statement.clearBindings() }
      try statement.run()
    }
  }

  private func withStoringStatement(_ body: (SQLiteStatement) throws -> Void) throws {
    if !handle.knowsTable(OriginalStatements.tableName) { try handle.execute(OriginalsTable.creation) }
    try withStatement(OriginalsTable.store, body)
  }
}

extension SQLiteStatement {
  /// Runs the statement that stores an original. A text with U+0000 is stored as bytes.
  func store(_ original: String, table: String, key: Int64, column: String) throws {
    try bind(table, at: 1)
    try bind(key, at: 2)
    try bind(column, at: 3)
    var original = original
    try check(
      original.withUTF8 { bytes in
        bytes.contains(0)
          ? osd_sqlite_bind_blob_copy(pointer, 4, bytes.baseAddress, bytes.count)
          : osd_sqlite_bind_text_copy(pointer, 4, bytes.baseAddress, bytes.count)
      })
    try run()
  }
}

extension SQLiteTransaction {
  /// Runs a deletion, and deletes the originals of all deleted rows, including rows that foreign key actions deleted.
  func removingOriginals<Result>(
    on connection: SQLiteConnection, _ delete: () throws -> Result
  ) throws -> Result {
    // If an enclosing call records the deleted rows, it deletes their originals at its end.
    guard !isWatchingRows, try !connection.tablesWithOriginals().isEmpty else { return try delete() }
    let watch = RowWatch()
    let result = try connection.handle.watchingRows(watch, delete)
    try removeOriginals(ofRowsIn: watch, on: connection)
    return result
  }

  /// Removes the originals of deleted rows.
  func removeOriginals(ofRowsIn watch: RowWatch, on connection: SQLiteConnection) throws {
    for table in try connection.tablesWithOriginals() {
      let deleted = watch.rows(ofTableNamed: table).deleted
      try connection.removeOriginals(ofTableNamed: table, keys: deleted.sorted())
    }
  }
}

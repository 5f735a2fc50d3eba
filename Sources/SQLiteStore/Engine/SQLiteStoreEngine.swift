import CSQLite
import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport
import SQLEngine
import Synchronization

/// A store in a SQLite file, or in memory.
package final class SQLiteStoreEngine: CascadingEngine {
  package let configuration: SQLiteStoreConfiguration
  /// Whether the store is in memory, and thus private to this process.
  private let isInMemory: Bool
  package let identifier: String
  /// The schema, as JSON, with which the store was created or to which it was migrated.
  package let storedSchemaJSON: String
  package let database: DatabaseMapping
  let pool: SQLiteConnectionPool
  /// The folder for values that are too large for rows; nil if all values are in rows.
  let externalFolder: ExternalFolder?
  /// Encrypts and decrypts values; nil if no value is encrypted.
  let cipher: (any ValueCipher)?
  /// True during a migration. The transactions of the engine are then nested in the transaction of the migration.
  let isMigrating: Bool
  /// True while a nested transaction of a migration is open.
  let nesting = Lock(false)
  private let changes = Lock(ChangeState())
  private let foreignChanges = Atomic<Int64>(0)
  let memoryReads: UncommittedMemoryReads?
  private let history = Lock(HistoryProgress())
  /// The number of commits in the log, and the last history record, at the time when contexts were last notified of
  /// commits of other processes. Nil before the first notification, and if the numbers could not be determined.
  let recordedCommits = Lock<(count: UInt32, record: Int64)?>(nil)

  /// The number of all commits in the log at some time, and of the writer's own commits.
  private struct CommitCounts {
    let all: UInt32
    let own: UInt32
    /// Counts the writer's later commits.
    let counter: CommitCounter

    init?(all: UInt32?, counter: CommitCounter?) {
      guard let all, let counter else { return nil }
      (self.all, own, self.counter) = (all, counter.value, counter)
    }

    /// Whether the writer made all commits since then.
    ///
    /// - Parameters:
    ///   - all: The present number of all commits.
    ///   - own: The present number of the writer's own commits.
    func areAllOwn(until all: UInt32, own: UInt32) -> Bool { all &- self.all == own &- self.own }
  }

  private struct ChangeState {
    /// The data version of the file at the writer's last check for commits of other processes.
    var version: Int64?
    /// The commits at that check; nil if their numbers were unknown.
    var commits: CommitCounts?
    /// The connection that opened the file, and its data version at that time. The writer's first check compares this
    /// version with the current one to detect earlier commits of other processes.
    weak var opener: SQLiteConnection?
    var openingVersion: UInt32?
  }

  /// Opens a store, or creates it if it does not exist.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of its migration. The file is unchanged then.
  package init(_ request: SQLiteStoreRequest) throws {
    let configuration = request.configuration
    let opened = try request.opener.open()
    self.configuration = configuration
    self.isInMemory = configuration.isInMemory
    self.database = opened.connection.database
    self.identifier = opened.metadata.identifier
    self.storedSchemaJSON = opened.metadata.schemaJSON
    self.cipher = request.opener.cipher
    self.isMigrating = false
    self.externalFolder = Self.externalFolder(
      of: opened.connection, isInMemory: configuration.isInMemory, mayHaveFiles: opened.metadata.mayHaveFiles)
    self.pool = SQLiteConnectionPool(first: opened.connection, opening: opened.opening)
    self.memoryReads = configuration.isInMemory ? UncommittedMemoryReads(pool) : nil
    if !configuration.isInMemory {
      changes.withLock { ($0.opener, $0.openingVersion) = (opened.connection, opened.connection.handle.dataVersion) }
    }
    try removeLeftFiles()
  }

  /// Creates an engine that uses the connection of a migration and works within its open transaction.
  init(
    migrating connection: SQLiteConnection, configuration: SQLiteStoreConfiguration, identifier: String,
    cipher: (any ValueCipher)?
  ) {
    self.configuration = configuration
    self.isInMemory = configuration.isInMemory
    self.database = connection.database
    self.identifier = identifier
    self.storedSchemaJSON = ""
    self.cipher = cipher
    self.isMigrating = true
    self.externalFolder = Self.externalFolder(of: connection, isInMemory: false)
    self.pool = SQLiteConnectionPool(
      first: connection,
      opening: ConnectionOpening(configuration: configuration, statementMemory: connection.statementMemory),
      isSingle: true)
    self.memoryReads = UncommittedMemoryReads(pool)
  }

  package var location: String { configuration.path }

  package var allowsSave: Bool { configuration.allowsSave }

  package var readerCount: Int { isInMemory ? 1 : configuration.readers }

  package func close() {
    pool.close()
  }

  package func beginTransaction() throws -> any StoreTransaction {
    try begin(keepsReferences: configuration.keepsReferences)
  }

  package func erase(willCommit: () -> Void) throws {
    let transaction = try begin(keepsReferences: false)
    do {
      try transaction.deleteEverything()
    } catch {
      transaction.rollBack()
      throw error
    }
    willCommit()
    try transaction.commit()
  }

  package var isReadingHere: Bool { pool.isReadingHere }

  // MARK: Changes

  package var uncommittedReads: (any UncommittedReads)? { memoryReads }

  package var foreignChangeCount: Int64 { foreignChanges.load(ordering: .acquiring) }

  /// The state of the history that this engine writes.
  var historyProgress: HistoryProgress { history.withLock { $0 } }

  /// Stores the state of the history after a transaction that added records has been committed.
  func noteHistory(_ progress: HistoryProgress) { history.withLock { $0 = progress } }

  func noteForeignChange() {
    foreignChanges.add(1, ordering: .acquiringAndReleasing)
  }

  /// Detects commits of other processes by the data version of the writer, which commits of the writer do not change.
  func noteForeignChanges(_ writer: SQLiteConnection) throws {
    let before = writer.handle.commitCount
    let version = try writer.withStatement(.version) { try $0.number() }
    // Outside a transaction, another process may commit while the version is read. The counts are then discarded.
    let all = writer.handle.commitCount
    let commits = all == before ? CommitCounts(all: all, counter: writer.handle.ownCommits) : nil
    let isFirst = changes.withLock { $0.version == nil }
    let startsChanged = isFirst ? try hasChangedSinceOpening() : false
    changes.withLock { state in
      var isNew: Bool {
        guard let known = state.version else { return startsChanged }
        guard known != version else { return false }
        // The version also changes when the log is checkpointed and restarted, so the counts of commits decide.
        guard let commits, let former = state.commits else { return true }
        return !former.areAllOwn(until: commits.all, own: commits.own)
      }
      // Noted first: once the state has the new counts, readers no longer find these commits.
      if isNew { noteForeignChange() }
      (state.version, state.commits) = (version, commits)
    }
  }

  /// Whether the writer has made all commits since its last check for commits of other processes. Any thread may ask,
  /// while the writer is in use.
  private func hasOnlyOwnCommits(_ reader: SQLiteConnection) -> Bool {
    guard let known = changes.withLock({ $0.commits }) else { return false }
    // Read before all commits are counted: a commit in between makes the result false, and the writer is asked.
    let own = known.counter.value
    guard let all = reader.handle.commitCount else { return false }
    return known.areAllOwn(until: all, own: own)
  }

  /// Returns true if other processes have committed since the file was opened. Versions can only be compared on the
  /// connection that opened the file; while this connection is in use, the result is true.
  private func hasChangedSinceOpening() throws -> Bool {
    let (opener, known) = changes.withLock { ($0.opener, $0.openingVersion) }
    guard let opener, let seen = try pool.borrow(opener, { try Self.readVersion(of: $0) }) else { return true }
    return seen != known
  }

  /// Whether the connection that opened the file finds new commits of other processes; nil while it is in use.
  func openerHasSeenChanges(besides reader: SQLiteConnection) throws -> Bool? {
    let (opener, known) = changes.withLock { ($0.opener, $0.openingVersion) }
    guard let opener else { return true }
    if opener === reader { return reader.handle.dataVersion != known }
    return try pool.borrow(opener) { opener in
      let version = try Self.readVersion(of: opener)
      defer { opener.seenVersion = version }
      return version != opener.seenVersion ?? known
    }
  }

  /// Queries the file and returns its current data version. Without a query, it would be the version of the last read.
  fileprivate static func readVersion(of reader: SQLiteConnection) throws -> UInt32 {
    _ = try reader.number("PRAGMA data_version")
    return reader.handle.dataVersion
  }
}

extension SQLiteStoreEngine {
  /// Begins a transaction.
  ///
  /// - Parameter keepsReferences: Whether foreign keys must be valid at the commit.
  func begin(keepsReferences: Bool = true) throws -> SQLiteTransaction {
    guard allowsSave else {
      throw SwiftDataError(
        .storeReadOnly,
        "The store at \(configuration.path) was opened without saving. Open it with allowsSave to change it.")
    }
    let start = ContinuousClock.now
    let connection = try pool.takeWriter()
    do {
      let external = try begin(on: connection, waited: ContinuousClock.now - start, keepsReferences: keepsReferences)
      memoryReads?.transactionDidBegin(on: connection)
      return SQLiteTransaction(
        engine: self, connection: connection, external: external, keepsReferences: keepsReferences,
        isNested: isMigrating)
    } catch {
      pool.giveBackWriter()
      throw error
    }
  }

  /// Returns the write connection to the pool, and then calls the listeners that wait for the end of the transaction.
  func transactionDidEnd() {
    // The listeners are read before another thread can begin a transaction on the connection.
    let listeners = memoryReads?.takeListeners() ?? []
    pool.giveBackWriter()
    for listener in listeners { listener() }
  }

  private func begin(
    on connection: SQLiteConnection, waited: Duration, keepsReferences: Bool
  ) throws -> ExternalTransaction? {
    if isMigrating { return try beginNested(on: connection) }
    if connection.handle.isInTransaction { throw nestedError }
    // The wait for other contexts counts towards the timeout. Waits for other processes get the remaining time.
    if waited > .milliseconds(1) {
      let left = configuration.busyTimeoutMilliseconds - waited.clampedMilliseconds
      connection.handle.setBusyTimeout(milliseconds: max(0, left))
    }
    defer {
      if waited > .milliseconds(1) {
        connection.handle.setBusyTimeout(milliseconds: configuration.busyTimeoutMilliseconds)
      }
    }
    // Unlike `PRAGMA foreign_keys`, this setting takes effect at any time. It is set before BEGIN, for all statements.
    if !keepsReferences { try connection.handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, false) }
    do {
      try connection.run(.begin)
      // BEGIN has read the file's data version. If this connection's commit was the last change, no query is needed.
      let isSame = connection.committedVersion == connection.handle.dataVersion
      if !isInMemory, !isSame { try noteForeignChanges(connection) }
      return try externalFolder.map { try ExternalTransaction(folder: $0, connection: connection) }
    } catch {
      if connection.handle.isInTransaction { try? connection.run("ROLLBACK") }
      if !keepsReferences { try? connection.handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, true) }
      throw error
    }
  }

  /// Begins a transaction as a savepoint in the transaction of a migration.
  private func beginNested(on connection: SQLiteConnection) throws -> ExternalTransaction? {
    guard
      nesting.withLock({ isOpen in
        defer { isOpen = true }
        return !isOpen
      })
    else { throw nestedError }
    do {
      guard connection.handle.isInTransaction else { throw undoneError }
      try connection.run("SAVEPOINT \(SQLiteTransaction.nestedName)")
      return try externalFolder.map { try ExternalTransaction(folder: $0, connection: connection, isNested: true) }
    } catch {
      nesting.withLock { $0 = false }
      throw error
    }
  }

  /// The error if SQLite has already ended the transaction. A savepoint would then begin a new transaction.
  var undoneError: SwiftDataError {
    SwiftDataError(
      .storeFailure,
      "SQLite undid the transaction on the store at \(configuration.path) after an earlier error. Nothing was saved; save "
        + "again.")
  }

  /// The error if the thread already has an open transaction. A second one would wait permanently for its end.
  var nestedError: SwiftDataError {
    SwiftDataError(
      .storeBusy,
      "A transaction of this thread is still open on the store. Commit it or roll it back first.")
  }
}

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

  package func pairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64], transaction: (any StoreTransaction)?
  ) throws -> [RelatedPair] {
    try withConnection(of: transaction) { try $0.pairs(of: relationship, in: entity, owners: owners) }
  }

  package func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    try withConnection(of: transaction) { try $0.members(request, in: self, body) }
  }

  /// Steps a statement to its first row, and returns the rows. Returns nil if a table has originals
  /// (``OriginalsTable``). The caller then reads the rows with ``lendRows(of:on:_:_:)``, from the first row on.
  func plainRows(of statement: SQLiteStatement, on connection: SQLiteConnection) throws -> EngineRows? {
    // The first step takes the snapshot. Only then is it certain whether the table has originals.
    guard try statement.step() else { return rows(of: statement, ColumnFunctionTables.none) }
    guard try connection.tablesWithOriginals(isSchemaRead: true).isEmpty else { return nil }
    return rows(of: statement, ColumnFunctionTables.read, isOnFirstRow: true)
  }

  /// Passes the rows of a statement, which is on its first row, to a closure. If a value has an original, the rows
  /// contain the original instead of the normalised value.
  ///
  /// - Parameter columns: The columns of the rows.
  func lendRows(
    of statement: SQLiteStatement, on connection: SQLiteConnection, _ columns: OriginalRows.Columns,
    _ body: (EngineRows) throws -> Void
  ) throws {
    guard connection.handle.originals.tables.contains(columns.table) else {
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

  /// The rows of a statement, with the folder of external values, and with the cipher that decrypts values.
  func rows(
    of statement: SQLiteStatement, _ functions: UnsafePointer<ColumnReadFunctions> = ColumnFunctionTables.read,
    at row: OpaquePointer? = nil, isOnFirstRow: Bool = false
  ) -> EngineRows {
    EngineRows(
      row: row ?? statement.pointer, functions: functions, error: statement.error, externalValues: externalFolder,
      cipher: cipher, isOnFirstRow: isOnFirstRow)
  }

  func withConnection<Result>(
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
  /// True if the request searches rows, and does not look them up by their keys.
  fileprivate var isSearch: Bool {
    switch selection {
    case .all, .matching: true
    case .key, .keys: false
    }
  }
}

// The reads of a connection. The returned rows also read external values and decrypt encrypted values.

extension SQLiteConnection {
  func fetch(
    _ request: FetchRequest, in engine: SQLiteStoreEngine, _ body: (EngineRows) throws -> Void
  ) throws {
    if case .keys(let keys) = request.selection {
      return try rows(of: keys, request) { try lend($0, request, in: engine, body) }
    }
    try withStatement(for: request, purpose: .rows) { try lend($0, request, in: engine, body) }
  }

  private func lend(
    _ statement: SQLiteStatement, _ request: FetchRequest, in engine: SQLiteStoreEngine,
    _ body: (EngineRows) throws -> Void
  ) throws {
    if let rows = try engine.plainRows(of: statement, on: self) { return try body(rows) }
    let columns = OriginalRows.Columns(
      try database.table(for: request.entity), mask: request.mask & request.entity.storedMask,
      includesSubentities: request.readsSubentities)
    try engine.lendRows(of: statement, on: self, columns, body)
  }

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
      if let rows = try engine.plainRows(of: statement, on: self) { return try body(rows) }
      try engine.lendRows(of: statement, on: self, OriginalRows.Columns(table, mask: request.mask), body)
    }
  }

  private func sql(_ request: MemberRequest, table: TableMapping) throws -> String {
    let statements = MemberStatements(dialect: SQLiteDialect())
    if case .links = request.relationship.storage {
      let link = try link(of: request.relationship, in: request.entity)
      return statements.paired(
        table, by: link, request.scope, mayHaveDoubles: try !DatabaseShape.hasUniquePairs(link, in: handle))
    }
    guard let inverse = request.relationship.inverse else {
      throw SwiftDataError(.storeFailure, "\(request.relationship.path) has no column to be read from.")
    }
    return statements.referring(
      table, at: inverse.position, request.scope, mask: request.mask, repeatsOwner: !request.hasOwnerAmongColumns)
  }
}

extension FetchRequest {
  /// Whether rows include columns of subentities. A look-up by key always does.
  fileprivate var readsSubentities: Bool {
    switch selection {
    case .key, .keys: true
    case .all, .matching: includesSubentities
    }
  }
}

extension SQLiteStoreEngine {
  /// Checks whether a connection that has just read has found commits of other processes.
  ///
  /// No statement is needed to read the connection's data version. Commits of this process change that version too. If
  /// the log has further commits, the writer confirms a change: its `PRAGMA data_version` does not change with its own
  /// commits. If each reader asked the writer after each commit, threads that save would wait for threads that read.
  func noticeForeignChanges(_ reader: SQLiteConnection) {
    // During a migration no other process can commit, but contexts of the migration change the version.
    guard !isInMemory, !isMigrating else { return }
    let version = reader.handle.dataVersion
    guard version != reader.seenVersion else { return }
    // If the writer is in use, its transaction may detect the same commits. In this case the version is not recorded
    // as seen, so the next read checks again.
    guard hasOnlyOwnCommits(reader) || noticeForeignChanges(isFirst: reader.seenVersion == nil, in: reader) else {
      return
    }
    reader.seenVersion = version
  }

  package var hasForeignCommits: Bool { !isInMemory && !isMigrating }

  /// Checks with a free read connection whether the file has changed. If none is free, the reads in progress check it.
  package func lookForForeignCommits() {
    guard hasForeignCommits, let reader = try? pool.takeFreeReader() else { return }
    defer { pool.giveBackReader(reader) }
    guard (try? Self.readVersion(of: reader)) != nil else { return }
    noticeForeignChanges(reader)
  }

  /// Handles commits of other processes that a read has found; false if no connection can confirm them now.
  private func noticeForeignChanges(isFirst: Bool, in reader: SQLiteConnection) -> Bool {
    guard !pool.hasWriter else {
      guard let writer = try? pool.takeIdleWriter() else { return false }
      defer { pool.giveBackWriter() }
      return (try? noteForeignChanges(writer)) != nil
    }
    // Without a writer, this engine has committed nothing: a changed version means a commit of another process. Only
    // versions of one connection can be compared. The first check uses the connection that opened the file.
    guard isFirst else {
      noteForeignChange()
      return true
    }
    do {
      guard let hasChanged = try openerHasSeenChanges(besides: reader) else { return false }
      if hasChanged { noteForeignChange() }
      return true
    } catch {
      return false
    }
  }
}

extension SQLiteStoreEngine {
  /// Runs a long operation with a connection of its own, so that reads can use all connections of the pool.
  ///
  /// An in-memory store has a single connection. The operation uses this connection, and other threads wait for it.
  ///
  /// - Parameter forChanges: Whether the connection changes rows.
  func withOwnConnection<Result>(
    forChanges: Bool = false, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    guard !isInMemory else {
      let connection = try pool.takeReader()
      defer { pool.giveBackReader(connection) }
      guard !connection.handle.isInTransaction else { throw nestedError }
      return try body(connection)
    }
    let connection = try pool.openOwn(forChanges: forChanges)
    defer { pool.log.readerDidEnd() }
    return try body(connection)
  }
}

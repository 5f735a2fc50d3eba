import CSQLite
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// The transaction that changes a SQLite store.
final class SQLiteTransaction: StoreTransaction {
  let engine: SQLiteStoreEngine
  /// The connection that writes, nil when the transaction has ended: a store that is closed then can close it.
  private var connection: SQLiteConnection?
  /// The values in files, when the store has any.
  let external: ExternalTransaction?
  private let keepsReferences: Bool
  /// Whether it is a part of a migration's transaction.
  private let isNested: Bool
  /// The savepoint that stands for the beginning of a nested transaction.
  static let nestedName = "osd_nested"
  /// How many savepoints there are, each inside the one before.
  private var savepointDepth = 0
  /// Whether what the database deletes by the rules of references is recorded.
  var isWatchingRows = false

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

  /// The connection, while the transaction is open.
  ///
  /// Some errors make SQLite undo a transaction by itself. Statements would then be committed one by one.
  func usable() throws -> SQLiteConnection {
    let connection = try owned()
    guard connection.handle.isInTransaction else { throw engine.undoneError }
    return connection
  }

  /// The connection, until the transaction ends.
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
      // What the disk has no room for, and which reader of a store without a log is in the way, shows here.
      try connection.handle.check(sqlite3_db_cacheflush(connection.handle.pointer))
    } catch {
      let described = describe(error, connection)
      rollBack()
      throw described
    }
  }

  func commit() throws {
    let connection = try inTransaction()
    var superfluous: [Int64] = []
    // Nobody else has committed since the tables were listed, nor does until this commit.
    let originals = connection.handle.originals
    let knowsOriginals = originals.version != nil && originals.version == connection.handle.dataVersion
    do {
      superfluous = try external?.prepareCommit() ?? []
      if isNested { try checkReferences(connection) }
      try connection.run(isNested ? "RELEASE \(Self.nestedName)" : "COMMIT")
    } catch {
      let described = describe(error, connection)
      rollBack()
      throw described
    }
    if knowsOriginals { connection.handle.originals.version = connection.handle.dataVersion }
    // Within a migration nothing is gone for good before that is committed.
    if !isNested { external?.didCommit(superfluous: superfluous) }
    end()
  }

  /// The connection, as long as there is something to commit; the transaction ends where there is not.
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
    if connection.handle.isInTransaction {
      external?.undo()
      if isNested {
        try? connection.handle.execute("ROLLBACK TO \(Self.nestedName); RELEASE \(Self.nestedName)")
      } else {
        try? connection.run("ROLLBACK")
      }
    }
    connection.handle.originals.version = nil
    end()
  }

  // Named by how deep they are, so that the same few statements serve however many there are.

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
    external?.rollBack(to: savepoint)
    try connection.run("RELEASE osd\(savepoint)")
    forget(savepoint)
  }

  /// SQLite forgets those inside of it too.
  private func forget(_ savepoint: Int) {
    savepointDepth = savepoint - 1
    external?.forgetMarks(from: savepoint)
  }

  private func end() {
    if !keepsReferences { try? connection?.handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, true) }
    connection = nil
    if isNested { engine.nesting.withLock { $0 = false } }
    engine.pool.giveBackWriter()
  }

  /// SQLite looks at references when the outermost transaction commits, which is too late to say whose they are.
  private func checkReferences(_ connection: SQLiteConnection) throws {
    guard connection.handle.pendingReferenceCount > 0 else { return }
    let code = SQLITE_CONSTRAINT | SQLiteConstraint.foreignKey.rawValue << 8
    throw SQLiteError(code: code, message: "FOREIGN KEY constraint failed").storeError(path: connection.handle.path)
  }

  /// SQLite says that a reference leads nowhere, but not which; this does, while the rows are still there.
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

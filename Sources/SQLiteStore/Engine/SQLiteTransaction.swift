import CSQLite
import PersistenceCore
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
  private var savepointCount = 0

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
  func usable() throws -> SQLiteConnection {
    guard let connection else {
      throw SwiftDataError(
        .storeFailure,
        "A transaction on the store at \(engine.configuration.path) was used after its end. Begin a new one.")
    }
    engine.pool.adoptWriter()
    return connection
  }

  func commit() throws {
    let connection = try usable()
    guard connection.handle.isInTransaction else {
      end()
      throw SwiftDataError(
        .storeFailure,
        "SQLite undid the transaction on the store at \(engine.configuration.path) after an earlier error. "
          + "Nothing was saved; save again.")
    }
    var superfluous: [Int64] = []
    do {
      superfluous = try external?.prepareCommit() ?? []
      if isNested { try checkReferences(connection) }
      try connection.run(isNested ? "RELEASE \(Self.nestedName)" : "COMMIT")
    } catch {
      let described = describe(error, connection)
      rollBack()
      throw described
    }
    engine.noteOwnChange()
    // Within a migration nothing is gone for good before that is committed.
    if !isNested { external?.didCommit(superfluous: superfluous) }
    end()
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
    end()
  }

  func savepoint() throws -> Int {
    savepointCount += 1
    try usable().handle.execute("SAVEPOINT osd\(savepointCount)")
    external?.mark(savepointCount)
    return savepointCount
  }

  func rollBack(to savepoint: Int) throws {
    try usable().handle.execute("ROLLBACK TO osd\(savepoint)")
    external?.rollBack(to: savepoint)
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
    let list = broken.prefix(5).map(\.description).joined(separator: "; ")
    return SwiftDataError(
      known.kind,
      "\(list)\(broken.count > 5 ? " and \(broken.count - 5) more" : ""): these refer to models that are not in the "
        + "store at \(engine.configuration.path). Insert those too, or delete or change what refers to them.",
      underlying: cause)
  }
}

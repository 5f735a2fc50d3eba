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
  private var savepointCount = 0

  init(
    engine: SQLiteStoreEngine, connection: SQLiteConnection, external: ExternalTransaction?, keepsReferences: Bool
  ) {
    self.engine = engine
    self.connection = connection
    self.external = external
    self.keepsReferences = keepsReferences
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
      try connection.run("COMMIT")
    } catch {
      let described = describe(error, connection)
      rollBack()
      throw described
    }
    engine.noteOwnChange()
    external?.didCommit(superfluous: superfluous)
    end()
  }

  func rollBack() {
    guard let connection else { return }
    engine.pool.adoptWriter()
    if connection.handle.isInTransaction {
      external?.undo()
      try? connection.run("ROLLBACK")
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
    engine.pool.giveBackWriter()
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

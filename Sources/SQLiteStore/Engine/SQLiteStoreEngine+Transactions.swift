import CSQLite
import PersistenceSupport

extension SQLiteStoreEngine {
  /// Begins a transaction.
  ///
  /// - Parameter keepsReferences: Whether references must lead to rows when it commits.
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
      return SQLiteTransaction(
        engine: self, connection: connection, external: external, keepsReferences: keepsReferences,
        isNested: isMigrating)
    } catch {
      pool.giveBackWriter()
      throw error
    }
  }

  private func begin(
    on connection: SQLiteConnection, waited: Duration, keepsReferences: Bool
  ) throws -> ExternalTransaction? {
    if isMigrating { return try beginNested(on: connection) }
    if connection.handle.isInTransaction { throw nestedError }
    // The wait for other contexts counts towards the timeout, so other processes get the rest of it.
    if waited > .milliseconds(1) {
      let left = configuration.busyTimeoutMilliseconds - waited.clampedMilliseconds
      connection.handle.setBusyTimeout(milliseconds: max(0, left))
    }
    defer {
      if waited > .milliseconds(1) {
        connection.handle.setBusyTimeout(milliseconds: configuration.busyTimeoutMilliseconds)
      }
    }
    // The switch takes effect at any time, unlike the pragma. It is set before the transaction, so that it covers all
    // of it.
    if !keepsReferences { try connection.handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, false) }
    do {
      try connection.run("BEGIN IMMEDIATE")
      if !configuration.isInMemory { try noteForeignChanges(connection) }
      return try externalFolder.map { try ExternalTransaction(folder: $0, connection: connection) }
    } catch {
      if connection.handle.isInTransaction { try? connection.run("ROLLBACK") }
      if !keepsReferences { try? connection.handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, true) }
      throw error
    }
  }

  /// Begins a part of a migration's transaction.
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

  /// The error of a nested transaction whose outer one is gone: its savepoint would begin a transaction of its own.
  var undoneError: SwiftDataError {
    SwiftDataError(
      .storeFailure,
      "SQLite undid the transaction on the store at \(configuration.path) after an earlier error. Nothing was saved; save "
        + "again.")
  }

  /// The error of a transaction within another one of the same thread, which would wait for itself.
  var nestedError: SwiftDataError {
    SwiftDataError(
      .storeBusy,
      "A transaction of this thread is still open on the store. Commit it or roll it back first.")
  }
}

import PersistenceCore

/// A migration that has run and is not committed: the transaction is open, and nobody else can write to the store.
final class PendingMigration {
  let handle: SQLiteHandle
  /// What the store says about itself afterwards.
  let metadata: StoreMetadata
  private let running: SQLiteMigration
  private let superfluous: [Int64]
  private let backup: MigrationBackup?

  init(
    handle: SQLiteHandle, metadata: StoreMetadata, running: SQLiteMigration, superfluous: [Int64],
    backup: MigrationBackup?
  ) {
    self.handle = handle
    self.metadata = metadata
    self.running = running
    self.superfluous = superfluous
    self.backup = backup
  }

  /// Makes it final, and returns what the store says about itself.
  func commit() throws -> StoreMetadata {
    do {
      try handle.execute("COMMIT")
    } catch {
      rollBack()
      throw error
    }
    finish()
    return metadata
  }

  /// What is done when nothing can undo the migration any more.
  private func finish() {
    running.external.didCommit(superfluous)
    running.reporter.complete()
    // The log is as large as what was written anew; whoever reads just now keeps it a while.
    try? handle.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA temp_store = MEMORY")
  }

  /// Leaves the store as it was.
  func rollBack() {
    if handle.isInTransaction { running.external.undo() }
    backup?.remove()
    Self.abandon(handle)
  }

  /// Ends the transaction of a migration that did not come to its end.
  static func abandon(_ handle: SQLiteHandle) {
    if handle.isInTransaction { try? handle.execute("ROLLBACK") }
    try? handle.execute("PRAGMA temp_store = MEMORY")
  }
}

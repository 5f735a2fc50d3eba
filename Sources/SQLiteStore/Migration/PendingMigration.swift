import CSQLite
import PersistenceSchemas

/// A migration that has run but is not committed. Its open transaction blocks writes of other connections.
final class PendingMigration {
  let handle: SQLiteHandle
  /// The metadata after the migration.
  let metadata: StoreMetadata
  private let running: SQLiteMigration
  private let superfluous: [ExternalReference]
  private let backup: MigrationBackup?
  private var note: JointNote?
  private var hasCopy = false

  init(
    handle: SQLiteHandle, metadata: StoreMetadata, running: SQLiteMigration, superfluous: [ExternalReference],
    backup: MigrationBackup?
  ) {
    self.handle = handle
    self.metadata = metadata
    self.running = running
    self.superfluous = superfluous
    self.backup = backup
  }

  /// Commits the migration and cleans up, and returns the metadata. If the commit fails, rolls the migration back.
  func commit() throws -> StoreMetadata {
    do {
      try commitAlone()
    } catch {
      rollBack()
      throw error
    }
    finish()
    return metadata
  }

  func commitAlone() throws { try handle.execute("COMMIT") }

  /// Cleans up. After this, the migration cannot be undone.
  func finish() {
    running.external.didCommit(superfluous)
    running.reporter.complete()
    // The log is as large as the rewritten tables, so it is truncated. Truncating fails while another connection reads.
    try? handle.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA temp_store = MEMORY")
  }

  // MARK: Joint migrations

  /// Writes dirty pages to the log, so that the commit adds almost nothing to it.
  func flush() throws { try handle.check(sqlite3_db_cacheflush(handle.pointer)) }

  /// Copies the committed content of the store. The copy exists until the last store has been committed.
  func keepCopy(for note: JointNote) throws {
    try copy.make(of: handle)
    hasCopy = true
    try note.write(to: handle)
    self.note = note
  }

  /// Records in the last store that its commit decides the joint migration.
  func join(_ note: JointNote) throws {
    try note.join(handle)
    self.note = note
  }

  /// Removes this store's note about the joint migration after the commit.
  func forgetNotes() throws {
    guard let note else { return }
    if hasCopy {
      try note.remove(from: handle)
      copy.remove()
    } else {
      try note.leave(handle)
    }
  }

  private var copy: MigrationBackup {
    MigrationBackup(storePath: handle.filePath, suffix: MigrationBackup.jointSuffix)
  }

  /// Rolls the migration back, and removes its files and copies. The store is then unchanged.
  func rollBack() {
    if handle.isInTransaction { running.external.undo() }
    backup?.remove()
    if hasCopy { copy.remove() }
    Self.abandon(handle)
  }

  /// Ends the transaction of an aborted migration.
  static func abandon(_ handle: SQLiteHandle) {
    if handle.isInTransaction { try? handle.execute("ROLLBACK") }
    try? handle.execute("PRAGMA temp_store = MEMORY")
  }
}

import CSQLite
import PersistenceSchemas

/// A migration that has run and is not committed. Its open transaction keeps other connections from writing.
final class PendingMigration {
  let handle: SQLiteHandle
  /// What the store says about itself afterwards.
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

  /// Makes it final, and returns what the store says about itself.
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

  /// What is done when nothing can undo the migration any more.
  func finish() {
    running.external.didCommit(superfluous)
    running.reporter.complete()
    // The log is as large as the rewritten tables. It cannot be truncated while another connection reads.
    try? handle.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA temp_store = MEMORY")
  }

  // MARK: One of several

  /// Writes what is in memory, so that a commit adds next to nothing to the log.
  func flush() throws { try handle.check(sqlite3_db_cacheflush(handle.pointer)) }

  /// Keeps what is committed in the store, until the last of several has been committed.
  func keepCopy(for note: JointNote) throws {
    try copy.make(of: handle)
    hasCopy = true
    try note.write(to: handle)
    self.note = note
  }

  /// Notes that with this store all are committed.
  func join(_ note: JointNote) throws {
    try note.join(handle)
    self.note = note
  }

  /// Forgets how the others did, after the commit.
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

  /// Leaves the store as it was.
  func rollBack() {
    if handle.isInTransaction { running.external.undo() }
    backup?.remove()
    if hasCopy { copy.remove() }
    Self.abandon(handle)
  }

  /// Ends the transaction of a migration that did not come to its end.
  static func abandon(_ handle: SQLiteHandle) {
    if handle.isInTransaction { try? handle.execute("ROLLBACK") }
    try? handle.execute("PRAGMA temp_store = MEMORY")
  }
}

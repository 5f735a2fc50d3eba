import CSQLite
import Foundation
import PersistenceCore

extension StoreOpener {
  /// Takes a store to the schema that it is opened with, if it has another, and returns what it says about itself then.
  func migrated(_ handle: SQLiteHandle, _ metadata: StoreMetadata) throws -> StoreMetadata {
    guard metadata.schemaJSON != schemaJSON, try migration.route(metadata.schemaJSON) != nil else {
      if migration.keepsBackup, opening.configuration.allowsSave, !opening.configuration.isInMemory {
        MigrationBackup(storePath: handle.filePath).remove()
      }
      return metadata
    }
    let backup = MigrationBackup(storePath: handle.filePath)
    guard opening.configuration.allowsSave else { throw readOnlyError(handle) }
    // Sorting a million rows for an index is not to be done in memory, as everything else is.
    try handle.execute("PRAGMA temp_store = FILE")
    defer { try? handle.execute("PRAGMA temp_store = MEMORY") }
    try lock(handle)
    do {
      return try migrateLocked(handle, backup)
    } catch {
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
      throw error
    }
  }

  /// Waits for whoever else is migrating the store, or writing to it.
  private func lock(_ handle: SQLiteHandle) throws {
    let wait = max(migration.timeout, opening.configuration.busyTimeout)
    handle.setBusyTimeout(milliseconds: Int32(clamping: Int64(wait / .milliseconds(1))))
    defer { handle.setBusyTimeout(milliseconds: opening.configuration.busyTimeoutMilliseconds) }
    try handle.execute("BEGIN IMMEDIATE")
  }

  private func migrateLocked(_ handle: SQLiteHandle, _ backup: MigrationBackup) throws -> StoreMetadata {
    // Somebody else may have migrated it while this process waited.
    guard let metadata = try StoreMetadata(from: handle), let route = try migration.route(metadata.schemaJSON),
      let last = route.legs.last
    else {
      try handle.execute("ROLLBACK")
      return try metadataAfterWait(handle)
    }
    let cipher = try migration.cipher(route)
    if let cipher, metadata.keyProof != nil { try metadata.check(cipher, path: opening.path) }
    if migration.keepsBackup { try backup.make(of: handle) }
    let reporter = MigrationReporter(migration.progress, stageCount: route.legs.count)
    let running = try SQLiteMigration(
      handle, configuration: opening.configuration, identifier: metadata.identifier, cipher: cipher, reporter: reporter)
    do {
      try route.run(on: running, reporter: reporter)
      let changed = try metadata.migrated(
        to: last.to.json, cipher: self.cipher, mayHaveFiles: running.external.hasTable)
      try changed.write(to: handle)
      let superfluous = try running.external.superfluous()
      try handle.execute("COMMIT")
      running.external.didCommit(superfluous)
      reporter.complete()
      // The log is as large as what was written anew; whoever reads just now keeps it a while.
      try? handle.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      return changed
    } catch {
      if handle.isInTransaction { running.external.undo() }
      if migration.keepsBackup { backup.remove() }
      throw error
    }
  }

  private func metadataAfterWait(_ handle: SQLiteHandle) throws -> StoreMetadata {
    if let metadata = try StoreMetadata(from: handle) { return metadata }
    throw SwiftDataError(
      .storeCorrupt, "The store at \(opening.path) lost its metadata while it was opened. Restore it from a backup.")
  }

  private func readOnlyError(_ handle: SQLiteHandle) -> SwiftDataError {
    SwiftDataError(
      .storeReadOnly,
      "The store at \(handle.path) has an older schema and has to be migrated, and it was opened without saving. Open it "
        + "once with allowsSave; it has not been changed.")
  }
}

import PersistenceSupport
import SQLEngine

/// A store whose file does not say in its header what it is, because another program made the file: by a dump, or by
/// copying tables. Opened for saving, it gets what a store has that was made here.
///
/// First the write-ahead log, which is no part of a transaction, then all the rest in one. Either is made wholly or not at
/// all, and a process that is killed between the two leaves a store that the next opening completes. Nothing that the
/// library does depends on them. So what fails, as on a full disk or while others use the store, is left for the next
/// opening, and does not keep this one from the store.
struct ReloadedStore {
  let handle: SQLiteHandle
  /// The tables of the store.
  let database: DatabaseMapping

  /// Completes the store.
  ///
  /// - Parameter enableLog: Switches the file to the write-ahead log, and waits for others as long as is permitted.
  func complete(enableLog: () throws -> Void) {
    do {
      try enableLog()
      if try isComplete() { return }
      try handle.execute("BEGIN IMMEDIATE")
      // Another process may have completed it, or have brought it to a newer format.
      guard let metadata = try StoreMetadata(from: handle), metadata.format == StoreFormat.version else {
        return try handle.execute("ROLLBACK")
      }
      if try !hasMarks() { for sql in missing { try handle.execute(sql) } }
      if metadata.writer != StoreFormat.writer { try StoreMetadata.noteWriter(in: handle) }
      try handle.execute("COMMIT")
    } catch {
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
    }
  }

  private var missing: [String] {
    let hasFiles = database.tables.contains(where: \.entity.hasExternal)
    return StoreFormat.ownTables(ifMissing: true) + (hasFiles ? [ExternalTables.table(ifMissing: true)] : [])
      + StoreFormat.marks
  }

  /// Whether all is there, in the log if not in the file.
  private func isComplete() throws -> Bool {
    try hasMarks() && StoreMetadata(from: handle)?.writer == StoreFormat.writer
  }

  private func hasMarks() throws -> Bool {
    try handle.number("PRAGMA application_id") == StoreFormat.applicationIdentifier
      && handle.number("PRAGMA user_version") == StoreFormat.version
  }
}

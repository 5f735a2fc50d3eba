import PersistenceSupport
import SQLEngine

/// A store without the identifying numbers in its file header, because another program created the file from a dump or
/// by copying tables. Opening the store for saving adds these numbers, missing tables of the library, and the
/// write-ahead log.
///
/// The opening first enables the write-ahead log, which is not transactional, and then adds the other parts in one
/// transaction. If the process is killed in between, the next opening completes the store. The library works without
/// these parts. If the completion fails, for example on a full disk or while other connections use the store, this
/// opening succeeds, and the next opening tries again.
struct ReloadedStore {
  let handle: SQLiteHandle
  let database: DatabaseMapping

  /// Completes the store.
  ///
  /// - Parameter enableLog: Switches the file to the write-ahead log; waits for other connections up to the timeout.
  func complete(enableLog: () throws -> Void) {
    do {
      try enableLog()
      if try isComplete() { return }
      try handle.execute("BEGIN IMMEDIATE")
      // Another process may have completed the store, or upgraded it to a newer format.
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

  /// Returns true if the store has all parts. The queries also find parts that are still in the write-ahead log.
  private func isComplete() throws -> Bool {
    try hasMarks() && StoreMetadata(from: handle)?.writer == StoreFormat.writer
  }

  private func hasMarks() throws -> Bool {
    try handle.number("PRAGMA application_id") == StoreFormat.applicationIdentifier
      && handle.number("PRAGMA user_version") == StoreFormat.version
  }
}

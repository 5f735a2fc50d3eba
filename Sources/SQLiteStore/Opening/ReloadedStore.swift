import PersistenceSupport
import SQLEngine

/// A store without the identifying numbers in its file header, because another program created the file, by a dump or
/// by copying tables. An opening for saving adds what a store created by this library has.
///
/// It first enables the write-ahead log, which is not transactional, then does all the rest in one transaction. If the
/// process is killed in between, the next opening completes the store. The library works without these parts. If the
/// completion fails, as on a full disk or while other connections use the store, it is left to the next opening, and
/// this opening succeeds.
struct ReloadedStore {
  let handle: SQLiteHandle
  /// The tables of the store.
  let database: DatabaseMapping

  /// Completes the store.
  ///
  /// - Parameter enableLog: Switches the file to the write-ahead log; waits for other connections up to the timeout.
  func complete(enableLog: () throws -> Void) {
    do {
      try enableLog()
      if try isComplete() { return }
      try handle.execute("BEGIN IMMEDIATE")
      // Another process may have completed it, or upgraded it to a newer format.
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

  /// Whether all parts exist, in the write-ahead log if not in the file.
  private func isComplete() throws -> Bool {
    try hasMarks() && StoreMetadata(from: handle)?.writer == StoreFormat.writer
  }

  private func hasMarks() throws -> Bool {
    try handle.number("PRAGMA application_id") == StoreFormat.applicationIdentifier
      && handle.number("PRAGMA user_version") == StoreFormat.version
  }
}

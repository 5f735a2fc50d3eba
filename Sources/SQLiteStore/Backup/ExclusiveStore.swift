import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The file of a store that this process has locked exclusively, in order to replace the content.
struct ExclusiveStore {
  /// How long to wait for another connection that is just being closed. If it stays open for longer, locking fails.
  private static let patienceMilliseconds: Int32 = 250

  let handle: SQLiteHandle

  /// Opens a file, or creates an empty one, and locks it.
  ///
  /// - Throws: `SwiftDataError.storeBusy` if another connection of this or another process has it open.
  init(_ path: String) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    handle = try SQLiteHandle(opening: path, flags: flags, path: path)
    guard !handle.isReadOnly else {
      throw StoreFile(path: path).writabilityError()
        ?? SwiftDataError(.storeReadOnly, "The file \(path) may not be written. Change its permissions.")
    }
    handle.setBusyTimeout(milliseconds: Self.patienceMilliseconds)
    do {
      // In this mode SQLite keeps the lock between transactions. In WAL mode, an open connection always holds a shared
      // lock, so the exclusive lock fails if another connection has the store open.
      try handle.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL")
      try handle.execute("BEGIN EXCLUSIVE; COMMIT")
    } catch let error as SwiftDataError where error.kind == .storeBusy {
      throw SwiftDataError(
        .storeBusy,
        "The store at \(path) is open in this process or another one. Close every container that has it (close()), and "
          + "every other program, and restore again; it has not been changed.", underlying: error.underlyingError)
    } catch let error as SwiftDataError where Self.hopeless.contains(error.kind) {
      throw Self.unreadableError(path, error)
    }
  }

  private static let hopeless: Set<SwiftDataError.Kind> = [.storeNotADatabase, .storeCorrupt]

  /// - Throws: `SwiftDataError.storeOfAnotherProgram` unless the file is empty or a store.
  func requireReplaceable() throws {
    do {
      if try handle.number("SELECT count(*) FROM sqlite_master") == 0 { return }
      if try StoreMetadata(from: handle) != nil { return }
    } catch let error as SwiftDataError where Self.hopeless.contains(error.kind) {
      throw Self.unreadableError(handle.path, error)
    }
    throw SwiftDataError(
      .storeOfAnotherProgram,
      "The database at \(handle.path) was written by another program and has not been replaced. Choose another file.")
  }

  /// The number for the next external file, which is greater than all numbers that external files have ever had.
  func nextFileNumber(in folder: ExternalFolder) throws -> Int64 {
    let noted = try notedFileNumber()
    // The number in the sequence table may be missing or too low, for example if the store was restored from a dump.
    guard let noted, !folder.contains(noted) else { return max(noted ?? 1, min(folder.greatestNumber, .max - 1) + 1) }
    return noted
  }

  private func notedFileNumber() throws -> Int64? {
    guard try handle.hasTable(StoreFormat.sequenceTable) else { return nil }
    let statement = try SQLiteStatement("SELECT next FROM \(StoreFormat.sequenceTable) WHERE entity = ?1", on: handle)
    try statement.bind(ExternalTables.sequence, at: 1)
    return try statement.step() ? max(1, statement.integer(0)) : nil
  }

  /// Replaces all pages of the store by the pages of another database, in one transaction.
  func takePages(of source: SQLiteHandle, _ work: StoreWork) throws {
    // In WAL mode the page size cannot be changed. Leaving WAL mode works, since no other connection uses the store.
    if try handle.number("PRAGMA page_size") != source.number("PRAGMA page_size") {
      try handle.execute("PRAGMA journal_mode = DELETE")
    }
    try handle.takePages(of: source, work)
  }

  /// Removes the file if it is still empty.
  func removeIfEmpty() {
    // No other connection uses the file: this connection has the lock.
    guard (try? handle.number("PRAGMA page_count")) == 0 else { return }
    unlink(handle.path)
  }

  private static func unreadableError(_ path: String, _ cause: SwiftDataError) -> SwiftDataError {
    SwiftDataError(
      cause.kind,
      "The file at \(path) is no store, or is damaged so that it cannot be locked and replaced. See to it that no program "
        + "has it open, move it away with \(path)-wal, \(path)-shm and \(path)\(ExternalFolder.suffix), and restore again; "
        + "it has not been changed.", underlying: cause.underlyingError)
  }
}

import CSQLite
import Foundation

/// A store with a note about a joint migration, whose process ended before it recorded the outcome.
///
/// The outcome depends on the store that is committed last. If that store was committed, this store keeps its migrated
/// content. Otherwise the former content is restored.
struct UndecidedMigration {
  private let handle: SQLiteHandle
  private let note: JointNote
  private let timeout: Duration
  private var copy: MigrationBackup { Self.copy(of: handle) }

  private static func copy(of handle: SQLiteHandle) -> MigrationBackup {
    MigrationBackup(storePath: handle.filePath, suffix: MigrationBackup.jointSuffix)
  }

  /// Keeps the migrated content of a store that is opened for saving, or restores its former content.
  ///
  /// - Throws: `SwiftDataError.storeBusy` if another process writes to one of the stores for longer than the timeout.
  static func resolve(_ handle: SQLiteHandle, timeout: Duration) throws {
    guard let note = try JointNote(from: handle) else { return }
    try UndecidedMigration(handle: handle, note: note, timeout: timeout).resolve()
  }

  /// Returns true if the store can be opened for reading without restoring its former content.
  static func isDecided(_ handle: SQLiteHandle, timeout: Duration) throws -> Bool {
    guard let note = try JointNote(from: handle) else { return true }
    return try UndecidedMigration(handle: handle, note: note, timeout: timeout).isComplete(allowsSave: false)
  }

  /// Removes a copy that a killed process left without a note. A process that needs its copy holds the store's lock.
  static func removeLeftCopy(of handle: SQLiteHandle) throws {
    let copy = copy(of: handle)
    guard copy.exists, (try? handle.execute("BEGIN IMMEDIATE")) != nil else { return }
    defer { try? handle.execute("ROLLBACK") }
    if try JointNote(from: handle) == nil { copy.remove() }
  }

  private func resolve() throws {
    if try isComplete(allowsSave: true) || !copy.exists {
      try note.remove(from: handle)
    } else {
      try takeBack()
    }
    try Self.removeLeftCopy(of: handle)
  }

  /// Returns true if the last store was committed, or if its file is missing, so that nothing is restored.
  private func isComplete(allowsSave: Bool) throws -> Bool {
    guard access(note.lastPath, F_OK) == 0 else { return true }
    let flags = allowsSave ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let last = try SQLiteHandle(opening: note.lastPath, flags: flags, path: note.lastPath)
    last.setBusyTimeout(milliseconds: timeout.clampedMilliseconds)
    // If a process is about to commit the last store, this waits for that commit.
    if allowsSave { try last.execute("BEGIN IMMEDIATE") }
    defer { if allowsSave { try? last.execute("ROLLBACK") } }
    return try note.isJoined(in: last)
  }

  /// Restores the former content of the store in one transaction, unless another process has already restored it.
  private func takeBack() throws {
    let target = try SQLiteHandle(opening: handle.filePath, flags: SQLITE_OPEN_READWRITE, path: handle.filePath)
    target.setBusyTimeout(milliseconds: timeout.clampedMilliseconds)
    guard copy.exists else { return }
    let source = try SQLiteHandle(opening: copy.path, flags: SQLITE_OPEN_READWRITE, path: copy.path)
    guard let backup = sqlite3_backup_init(target.pointer, "main", source.pointer, "main") else {
      throw target.error(sqlite3_errcode(target.pointer))
    }
    // A step of 0 pages only acquires the lock.
    var code = sqlite3_backup_step(backup, 0)
    if code == SQLITE_OK, try JointNote(from: handle) == note { code = sqlite3_backup_step(backup, -1) }
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE || code == SQLITE_OK, end == SQLITE_OK else {
      throw target.error(code == SQLITE_DONE || code == SQLITE_OK ? end : code)
    }
  }
}

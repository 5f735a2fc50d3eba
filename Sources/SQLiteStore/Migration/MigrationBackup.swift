import CSQLite
import Foundation
import PersistenceSupport

/// The copy of a store from before a migration. The copy is a complete store next to the migrated one.
///
/// The backup is written under a temporary name, and renamed when it is complete.
struct MigrationBackup {
  /// The suffix of the backup's path after the store's path.
  static let suffix = "_backup"
  /// The suffix of the copy during a joint migration. External files are not copied: they stay in place.
  static let jointSuffix = "_joint"

  private let storePath: String
  private let suffix: String
  var path: String { storePath + suffix }
  var exists: Bool { access(path, F_OK) == 0 }

  /// - Parameter storePath: The resolved path of the store's file, without symbolic links.
  init(storePath: String, suffix: String = Self.suffix) {
    self.storePath = storePath
    self.suffix = suffix
  }

  /// Copies the committed content of a store. The caller holds the store's write lock.
  func make(of handle: SQLiteHandle) throws {
    let unfinished = path + "-part"
    remove()
    Self.removeStore(at: unfinished)
    do {
      try copy(to: unfinished)
      if suffix == Self.suffix { try linkFiles() }
    } catch {
      Self.removeStore(at: unfinished)
      throw error
    }
    guard rename(unfinished, path) == 0 else {
      throw SwiftDataError(
        .storeFailure, "The backup of the store cannot be named \(path): \(SystemFailure()). Nothing was migrated.")
    }
  }

  func remove() {
    guard exists else { return }
    try? FileManager.default.removeItem(atPath: path + ExternalFolder.suffix)
    Self.removeStore(at: path)
  }

  private static func removeStore(at path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  private func copy(to target: String) throws {
    let source = try SQLiteHandle(opening: storePath, flags: SQLITE_OPEN_READWRITE, path: storePath)
    let copy = try SQLiteHandle(
      opening: target, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: target)
    guard let backup = sqlite3_backup_init(copy.pointer, "main", source.pointer, "main") else {
      throw copy.error(sqlite3_errcode(copy.pointer))
    }
    let code = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else { throw copy.error(code == SQLITE_DONE ? end : code) }
  }

  /// Copies the external files by hard links, since such files never change.
  private func linkFiles() throws {
    let (folder, copy) = (storePath + ExternalFolder.suffix, path + ExternalFolder.suffix)
    guard access(folder, F_OK) == 0 else { return }
    do {
      try? FileManager.default.removeItem(atPath: copy)
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        guard link("\(folder)/\(name)", "\(copy)/\(name)") != 0 else { continue }
        try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(copy)/\(name)")
      }
    } catch {
      throw SwiftDataError(
        .storeFailure, "The external values of the store cannot be copied to \(copy). Nothing was migrated.",
        underlying: error)
    }
  }
}

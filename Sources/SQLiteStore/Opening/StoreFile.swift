import Foundation
import PersistenceCore

/// What can be said about a store's file without opening it.
///
/// Opening it beside SQLite would be worse than useless: closing any handle of a file drops all locks that the process
/// has on it.
struct StoreFile {
  let path: String

  var exists: Bool { FileManager.default.fileExists(atPath: path) }

  private var folder: String { (path as NSString).deletingLastPathComponent }

  /// Checks that there can be a store at the path.
  ///
  /// - Throws: `SwiftDataError.storeUnreachable` or `.storeReadOnly`.
  func check(allowsSave: Bool) throws {
    try checkFolder()
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    if isFolder.boolValue {
      throw SwiftDataError(
        .storeUnreachable, "There is a folder at \(path). Give the store the name of a file in it.")
    }
    guard allowsSave else {
      if exists { return }
      throw SwiftDataError(
        .storeUnreachable,
        "There is no store at \(path), and a store that may not be saved to is not made. Allow saving once.")
    }
    if !isWritable(folder) || (exists && !isWritable(path)) {
      throw SwiftDataError(
        .storeReadOnly,
        "The \(isWritable(folder) ? "file \(path)" : "folder \(folder)") may not be written. "
          + "Change its permissions, or open the store without saving.")
    }
  }

  /// Whether SQLite's companion file holds commits that are not in the file yet.
  var hasWriteAheadLog: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? NSNumber)?.int64Value ?? 0 > 0
  }

  var isFolderWritable: Bool { isWritable(folder) }

  private func checkFolder() throws {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
    guard exists, isFolder.boolValue else {
      throw SwiftDataError(
        .storeUnreachable,
        "The folder \(folder) of the store at \(path) does not exist. Create it before opening the store.")
    }
  }

  private func isWritable(_ path: String) -> Bool {
    access(path, W_OK) == 0
  }
}

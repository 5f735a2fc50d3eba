import Foundation
import PersistenceCore

/// What can be said about a store's file without opening it.
///
/// Opening it beside SQLite would be worse than useless: closing any handle of a file drops all locks that the process
/// has on it.
struct StoreFile {
  /// Every database of SQLite's begins with a header of this size.
  private static let headerSize: Int64 = 100

  let path: String

  /// The folder that the file is in. Few ask for it, and looking for it takes a part of opening a store.
  private var folder: String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Checks what SQLite would not notice, or would notice too late.
  ///
  /// - Throws: `SwiftDataError.storeUnreachable` or `.storeNotADatabase`.
  func check(allowsSave: Bool) throws {
    guard let status = Status(path) else { return try checkAbsence(allowsSave: allowsSave) }
    if status.isFolder {
      throw SwiftDataError(
        .storeUnreachable, "There is a folder at \(path). Give the store the name of a file in it.")
    }
    if (1..<Self.headerSize).contains(status.size) {
      // SQLite takes a file of one byte for an empty one and would write to it.
      throw SwiftDataError(
        .storeNotADatabase,
        "The file at \(path) is too short to be a database. Choose another file; this one has not been changed.")
    }
  }

  /// Whether SQLite's companion file holds commits that are not in the file yet.
  var hasWriteAheadLog: Bool { (Status(path + "-wal")?.size ?? 0) > 0 }

  var isFolderWritable: Bool { isWritable(folder) }

  /// The error for a store that cannot be written to because its file or folder may not be; nil when they may.
  ///
  /// Asked only when something went wrong: an opening that goes well need not ask the file system.
  func writabilityError() -> SwiftDataError? {
    let (isFolderWritable, exists) = (isFolderWritable, Status(path) != nil)
    if isFolderWritable, !exists || isWritable(path) { return nil }
    return SwiftDataError(
      .storeReadOnly,
      "The \(isFolderWritable ? "file \(path)" : "folder \(folder)") may not be written. "
        + "Change its permissions, or open the store without saving.")
  }

  private func checkAbsence(allowsSave: Bool) throws {
    guard Status(folder)?.isFolder == true else {
      throw SwiftDataError(
        .storeUnreachable,
        "The folder \(folder) of the store at \(path) does not exist. Create it before opening the store.")
    }
    if allowsSave { return }
    throw SwiftDataError(
      .storeUnreachable,
      "There is no store at \(path), and a store that may not be saved to is not made. Allow saving once.")
  }

  private func isWritable(_ path: String) -> Bool {
    access(path, W_OK) == 0
  }
}

/// What the file system says about a path; nil when there is nothing.
private struct Status {
  let size: Int64
  let isFolder: Bool

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int64(status.st_size)
    isFolder = status.st_mode & S_IFMT == S_IFDIR
  }
}

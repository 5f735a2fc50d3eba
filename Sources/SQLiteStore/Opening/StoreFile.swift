import Foundation
import PersistenceSupport

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

  /// Checks what SQLite would not notice, or would notice too late, and returns whether there is a file.
  ///
  /// - Throws: `SwiftDataError.storeUnreachable` or `.storeNotADatabase`.
  @discardableResult
  func check(allowsSave: Bool) throws -> Bool {
    guard let status = Status(path) else {
      try checkAbsence(allowsSave: allowsSave)
      return false
    }
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
    return true
  }

  /// Makes the folder of a store that is to be made, if it is missing; nil when it is not.
  ///
  /// - Throws: `SwiftDataError` with why it cannot be made.
  func makeFolder() throws -> StoreFolder? {
    Status(folder)?.isFolder == true ? nil : try StoreFolder(making: folder, for: path)
  }

  /// Whether SQLite's companion file holds commits that are not in the file yet.
  var hasWriteAheadLog: Bool { (Status(path + "-wal")?.size ?? 0) > 0 }

  private var isFolderWritable: Bool { isWritable(folder) }

  /// Whether a store can be read as immutable, which needs none of SQLite's companion files. The folder must not be
  /// writable, and the log must not have commits that are not in the file.
  var mayBeImmutable: Bool { !isFolderWritable && !hasWriteAheadLog }

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
    if allowsSave { return }
    let missing = Status(folder)?.isFolder == true ? "" : ", and no folder \(folder)"
    throw SwiftDataError(
      .storeUnreachable,
      "There is no store at \(path)\(missing), and a store that may not be saved to is not made. Allow saving once.")
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

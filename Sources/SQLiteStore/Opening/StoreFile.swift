import Foundation
import PersistenceSupport

/// Properties of a store's file that can be read without opening the file.
///
/// Opening the file without SQLite would do harm: when a process closes any descriptor of a file, the system drops all
/// locks of the process on the file.
struct StoreFile {
  /// The size of the header of every SQLite database.
  private static let headerSize: Int64 = 100

  let path: String

  /// The folder of the file. Computed on demand: few openings need it, and computing it takes a noticeable time.
  private var folder: String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Checks conditions that SQLite would detect too late or not at all, and returns whether the file exists.
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
      // SQLite treats a file of one byte as empty and would write to it.
      throw SwiftDataError(
        .storeNotADatabase,
        "The file at \(path) is too short to be a database. Choose another file; this one has not been changed.")
    }
    return true
  }

  /// Creates the folder of a new store, if it is missing; nil if the folder exists.
  ///
  /// - Throws: `SwiftDataError` with the reason why it cannot be created.
  func makeFolder() throws -> StoreFolder? {
    Status(folder)?.isFolder == true ? nil : try StoreFolder(making: folder, for: path)
  }

  /// Whether the write-ahead log holds commits that are not in the file yet.
  var hasWriteAheadLog: Bool { (Status(path + "-wal")?.size ?? 0) > 0 }

  private var isFolderWritable: Bool { isWritable(folder) }

  /// Whether a store can be opened as immutable, without SQLite's companion files. Its folder must not be writable, and
  /// the log must not have commits that are not in the file.
  var mayBeImmutable: Bool { !isFolderWritable && !hasWriteAheadLog }

  /// The error for a store that cannot be written because its file or folder is read-only; nil if both are writable.
  ///
  /// Called only after a failure: a successful opening need not query the file system.
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

/// The file system's information about a path; nil if it does not exist.
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

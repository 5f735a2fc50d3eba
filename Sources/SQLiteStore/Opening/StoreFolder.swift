import Foundation
import PersistenceSupport

/// Creates the missing folders on the path of a new store's file.
struct StoreFolder {
  private let storePath: String
  /// The folders that were created. Each outer folder precedes the folders inside it.
  private var made: [String] = []

  /// Creates a folder and its missing parents.
  ///
  /// - Parameter storePath: The store in the folder, for messages.
  /// - Throws: `SwiftDataError.storeReadOnly` if creation is not permitted, `.storeFull`, or `.storeUnreachable`. No
  ///   folder has been created then.
  init(making path: String, for storePath: String) throws {
    self.storePath = storePath
    do throws(SystemFailure) {
      try make(path)
    } catch {
      removeIfEmpty()
      throw Self.storeError(error, path, storePath)
    }
  }

  /// Removes the created folders if they are empty. Called if the store could not be created.
  func removeIfEmpty() {
    for folder in made.reversed() where rmdir(folder) != 0 { return }
  }

  private mutating func make(_ folder: String) throws(SystemFailure) {
    var failure = tryToMake(folder)
    if failure?.code == ENOENT, let parent = Self.parent(of: folder) {
      try make(parent)
      failure = tryToMake(folder)
    }
    guard let failure, failure.code != EEXIST || !Self.isFolder(folder) else { return }
    throw failure
  }

  /// Creates one folder; returns the failure, if any.
  private mutating func tryToMake(_ folder: String) -> SystemFailure? {
    guard mkdir(folder, 0o777) == 0 else { return SystemFailure() }
    made.append(folder)
    // Unless the parent folder is synced, the new folder may be lost in a power failure.
    if let parent = Self.parent(of: folder) { try? ExternalFile.syncFolder(parent) }
    return nil
  }

  // MARK: Paths

  private static func parent(of path: String) -> String? {
    var path = path[...]
    while path.count > 1, path.last == "/" { path = path.dropLast() }
    guard !path.isEmpty, path != "/", path != "." else { return nil }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    path = path[..<slash]
    while path.last == "/" { path = path.dropLast() }
    return path.isEmpty ? "/" : String(path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  // MARK: Messages

  private static func storeError(_ failure: SystemFailure, _ folder: String, _ storePath: String) -> SwiftDataError {
    var nearest = folder
    while !isThere(nearest), let parent = parent(of: nearest) { nearest = parent }
    let (kind, reason): (SwiftDataError.Kind, String) =
      switch failure.code {
      case EACCES, EPERM, EROFS:
        (.storeReadOnly, "\(nearest) may not be written (\(failure)). Change its permissions")
      case ENOSPC, EDQUOT, EMLINK: (.storeFull, "\(failure). Make room for it")
      case EEXIST, ENOTDIR: (.storeUnreachable, "\(nearest) is not a folder. Move it away")
      default: (.storeUnreachable, "\(failure). Mend that")
      }
    return SwiftDataError(
      kind, "The folder \(folder) of the store at \(storePath) cannot be made: \(reason), or keep the store elsewhere.",
      underlying: failure)
  }
}

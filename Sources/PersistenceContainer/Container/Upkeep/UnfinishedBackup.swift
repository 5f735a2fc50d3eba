import Foundation
import PersistenceSupport

/// The temporary folder in which a backup is made, beside the path of the backup, until it is complete.
///
/// A lock on the folder lets only one process use it at a time. When a process is killed, the system releases its lock,
/// and the next backup to the same path takes over the folder.
final class UnfinishedBackup {
  private static let suffix = ".unfinished"
  /// The name of the file that lists the files to be renamed, the store last. No file of the backup has that name.
  private var list: String { Self.name(of: target) + ".publishing" }
  /// The separator of the names in the list. No name contains this character.
  private static let separator: Character = "/"

  private let target: String
  private let folder: String
  private let descriptor: Int32

  /// - Parameter target: The path of the backup.
  /// - Throws: `SwiftDataError` if the path of the backup exists already, or the folder cannot be created.
  init(of target: String) throws {
    self.target = target
    folder = target + Self.suffix
    descriptor = try Self.lockedFolder(folder)
    do {
      try removeRemains()
      try requireNothing(at: target)
    } catch {
      discard()
      throw error
    }
  }

  deinit { close(descriptor) }

  static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// The path of a part of the unfinished backup.
  func path(of name: String) -> String { "\(folder)/\(name)" }

  /// Removes the folder and everything in it.
  func discard() { try? FileManager.default.removeItem(atPath: folder) }

  // MARK: Publishing

  /// Renames the parts to their final names. The store is last: until it is renamed, no backup exists.
  func publish(_ names: [String]) throws {
    for name in names { try requireNothing(at: place(of: name)) }
    try note(names)
    var moved: [String] = []
    do {
      for name in names.dropLast() {
        try move(name)
        moved.append(name)
      }
      if let store = names.last { try give(store) }
    } catch {
      for name in moved { _ = rename(place(of: name), path(of: name)) }
      throw error
    }
    try sync(parent)
    discard()
  }

  /// Renames the folder to the path of the backup.
  func publishFolder() throws {
    try sync(folder)
    try requireNothing(at: target)
    guard rename(folder, target) == 0 else { throw failure("named", target) }
    try sync(parent)
  }

  /// Writes a list of the parts. If the process is killed before it renames the store, the next backup removes these
  /// parts.
  private func note(_ names: [String]) throws {
    let descriptor = open(path(of: list), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure("made", path(of: list)) }
    defer { close(descriptor) }
    let text = Array(names.joined(separator: "\(Self.separator)").utf8)
    guard write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0 else {
      throw failure("written", path(of: list))
    }
    try sync(folder)
  }

  private func move(_ name: String) throws {
    guard rename(path(of: name), place(of: name)) == 0 else { throw failure("named", place(of: name)) }
  }

  /// Gives the store its final name by a hard link. The link fails if the name exists; a rename would replace the file.
  private func give(_ name: String) throws {
    if link(path(of: name), place(of: name)) == 0 { return }
    if errno == EEXIST { throw occupied(place(of: name)) }
    // Not all file systems support hard links.
    try requireNothing(at: place(of: name))
    try move(name)
  }

  private func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("opened", path) }
    defer { close(descriptor) }
    // A file system that cannot flush folders returns EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("flushed to the disk", path) }
  }

  private var parent: String {
    target.lastIndex(of: "/").map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
  }

  private func place(of name: String) -> String { "\(parent)/\(name)" }

  // MARK: Remains

  /// Removes what a killed process left in the folder. If that process had not renamed the store yet, also removes the
  /// parts that it had renamed.
  private func removeRemains() throws {
    let names = (try? String(contentsOfFile: path(of: list), encoding: .utf8))?.split(separator: Self.separator) ?? []
    if let store = names.last, store == Self.name(of: target), !isThere(target) {
      for name in names.dropLast().map(String.init) where !isThere(path(of: name)) {
        try? FileManager.default.removeItem(atPath: place(of: name))
      }
    }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      do {
        try FileManager.default.removeItem(atPath: path(of: name))
      } catch {
        throw SwiftDataError(
          .storeReadOnly, "What an earlier backup left in \(folder) cannot be removed. Remove it and try again.",
          underlying: error)
      }
    }
  }

  private func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private func requireNothing(at path: String) throws {
    if isThere(path) { throw occupied(path) }
  }

  // MARK: The lock

  private static func lockedFolder(_ folder: String) throws -> Int32 {
    // Between two of these steps, another process may complete its backup and remove the folder. The loop then tries
    // again.
    for _ in 0..<100 {
      guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw Self.failure("made", folder) }
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else {
        if errno == ENOENT { continue }
        throw Self.failure("opened", folder)
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        close(descriptor)
        throw busy(folder)
      }
      if isSame(descriptor, folder) { return descriptor }
      close(descriptor)
    }
    throw busy(folder)
  }

  private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var (own, other) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &other) == 0 && own.st_ino == other.st_ino
      && own.st_dev == other.st_dev
  }

  // MARK: Errors

  private func failure(_ what: String, _ path: String) -> SwiftDataError { Self.failure(what, path) }

  private static func failure(_ what: String, _ path: String) -> SwiftDataError {
    SystemFailure().storeError {
      "\(path) cannot be \(what), and nothing was backed up: \($0). Mend that, or choose another place."
    }
  }

  private func occupied(_ path: String) -> SwiftDataError {
    SwiftDataError(
      .storeUnreachable,
      "There is something at \(path) already. Choose another name, or move it away; nothing was changed.")
  }

  private static func busy(_ folder: String) -> SwiftDataError {
    SwiftDataError(
      .storeBusy, "Another backup to the same place is being made in \(folder). Wait for it, or choose another place.")
  }
}

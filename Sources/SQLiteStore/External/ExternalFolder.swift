import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The folder, next to a store, of the values that are too large for rows. Each value is in a file named by a number.
///
/// A file is written before the row that references it is committed, is never changed, and is removed after the row was
/// deleted. ``ExternalTransaction`` assigns the numbers. Any thread may use the folder object: it has no state.
final class ExternalFolder: ExternalValueReader {
  /// The suffix of the folder's path after the store's path.
  static let suffix = "_external"

  let path: String

  /// - Parameter storePath: The resolved path of the store's file, without symbolic links.
  init(storePath: String) {
    path = storePath + Self.suffix
  }

  func path(of number: Int64) -> String { "\(path)/\(number)" }

  func contains(_ number: Int64) -> Bool { access(path(of: number), F_OK) == 0 }

  /// The greatest number of a file in the folder; 0 if there is none.
  var greatestNumber: Int64 {
    guard access(path, F_OK) == 0 else { return 0 }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.reduce(0) { max($0, Int64($1) ?? 0) }
  }

  func bytes(of reference: String) throws -> Data {
    guard let reference = ExternalReference(reference) else {
      throw UnreadableExternalValue("the row refers to '\(reference)', which names no file of the store")
    }
    let path = path(of: reference.number)
    do {
      return try ExternalFile.read(path, count: reference.count)
    } catch {
      throw UnreadableExternalValue(
        "the file \(path) that holds the value \(error). Restore the folder \(self.path) from the backup that the store "
          + "is from.")
    }
  }

  // MARK: Writing

  /// Writes a file and flushes its content. ``sync()`` flushes its name in the folder.
  func write(_ bytes: UnsafeRawBufferPointer, as number: Int64) throws {
    do throws(SystemFailure) {
      try makeIfMissing()
      try ExternalFile.write(bytes, to: path(of: number))
    } catch {
      remove(number)
      throw storeError(error, "a value cannot be written to \(path(of: number))")
    }
  }

  /// Flushes the folder, so that the names of new files are durable.
  func sync() throws {
    do throws(SystemFailure) {
      try ExternalFile.syncFolder(path)
    } catch {
      throw storeError(error, "the folder \(path) cannot be flushed to the disk")
    }
  }

  /// Removes a file. A missing file counts as removed.
  func remove(_ number: Int64) { _ = unlink(path(of: number)) }

  /// Removes the file of a reference, but only if the file has the referenced size. Otherwise another program wrote the
  /// reference, and the file belongs to another value.
  func remove(_ reference: ExternalReference) {
    if fault(of: reference) == nil { remove(reference.number) }
  }

  func makeIfMissing() throws(SystemFailure) {
    if access(path, F_OK) == 0 { return }
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemFailure() }
    // Unless the parent folder is flushed, the folder itself could be lost in a power failure.
    try ExternalFile.syncFolder(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
  }

  private func storeError(_ failure: SystemFailure, _ what: String) -> SwiftDataError {
    failure.storeError { "\(what): \($0). Nothing was saved; mend that and save again." }
  }
}

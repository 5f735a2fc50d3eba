import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Replaces the content of a store with a backup, in one transaction. No connection may have the store open.
///
/// The store's file is overwritten, not exchanged. A program that opens it meanwhile waits for the lock and then reads
/// the new content. If another file replaced the store's file, that program would save into the old file and lose its
/// saves.
package struct StoreRestoration {
  /// The suffix of the path of the backup's temporary copy, in which file numbers and history numbers are changed.
  /// After a crash the copy may still exist; a program with exclusive access to the store may remove it.
  static let copySuffix = "_restoring"

  private let backup: String
  private let store: String
  private let work: StoreWork

  package init(from backup: String, to store: String, _ work: StoreWork) {
    self.backup = backup
    self.store = store
    self.work = work
  }

  /// - Throws: `CancellationError`, or `SwiftDataError` of the backup or the store. The store is then unchanged.
  package func run() throws {
    let source = try RestorableBackup(backup, work)
    try requireOther(than: source)
    let place = StoreFile(path: store)
    let isNew = try !place.check(allowsSave: true)
    if isNew { try requireNoFiles() }
    let folder = try isNew ? place.makeFolder() : nil
    do {
      try replace(by: source, isNew: isNew)
    } catch {
      folder?.removeIfEmpty()
      throw error
    }
  }

  private func replace(by source: RestorableBackup, isNew: Bool) throws {
    let target = try ExclusiveStore(store)
    do {
      try target.requireReplaceable()
      try target.handle.working(on: work) { try write(source, to: target) }
    } catch {
      if isNew { target.removeIfEmpty() }
      throw error
    }
  }

  private func write(_ source: RestorableBackup, to target: ExclusiveStore) throws {
    let folder = ExternalFolder(storePath: target.handle.filePath)
    let files = RestoredFiles(to: folder, number: try target.nextFileNumber(in: folder), work)
    let history = try RestoredHistory(of: target.handle)
    let copy = try files.copy(of: source, at: target.handle.filePath + Self.copySuffix, history)
    defer { copy?.remove() }
    do {
      try target.takePages(of: copy?.handle ?? source.handle, work)
    } catch {
      files.undo()
      throw error
    }
    files.removeOthers()
  }

  private func requireOther(than source: RestorableBackup) throws {
    guard let own = realpath(store, nil) else { return }
    defer { free(own) }
    guard String(cString: own) == source.handle.filePath else { return }
    throw SwiftDataError(
      .storeUnreachable, "The store at \(store) cannot be restored from itself. Give the file of a backup.")
  }

  /// Throws if there are external files without a store: they may be all that is left of a lost store.
  private func requireNoFiles() throws {
    let folder = store + ExternalFolder.suffix
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder), !names.isEmpty else { return }
    throw SwiftDataError(
      .storeUnreachable,
      "There is no store at \(store), but a folder \(folder) with large values of one. Move it away, and restore again."
    )
  }
}

import CSQLite
import Foundation
import SQLEngine

/// Joint migration of several stores of one container: all of them are migrated, or none.
///
/// SQLite commits each file separately. Before the first commit, all stores are ready to commit and have written their
/// pages to the log, so that a full disk is detected by then. Each store except the last one keeps a copy of its former
/// content. In its own transaction, it also stores a note with the path of the last store. A process that opens a store
/// with such a note checks whether the last store has been committed (``UndecidedMigration``). Stores are locked and
/// committed in the order of their paths, so that two processes cannot deadlock.
package struct JointMigration {
  private let openers: [StoreOpener]

  /// - Parameter stores: All stores of the container. In-memory stores are ignored.
  package init(_ stores: [SQLiteStoreRequest]) {
    openers = stores.filter { !$0.configuration.isInMemory }.map(\.opener)
      .sorted { $0.opening.path < $1.opening.path }
  }

  /// Migrates the stores if at least two need it. A single store is migrated when it is opened.
  ///
  /// - Throws: `SwiftDataError` of the store that cannot be migrated. All stores are unchanged then.
  package func run() throws {
    let waiting = try openers.compactMap { opener in try opener.handleToMigrate().map { (opener, $0) } }
    guard waiting.count > 1 else { return }
    var pending: [PendingMigration] = []
    do {
      for (opener, handle) in waiting {
        if let migration = try opener.prepareMigration(handle) { pending.append(migration) }
      }
      try note(pending)
      // If the disk is full, this fails before the first commit.
      for migration in pending { try migration.flush() }
    } catch {
      for migration in pending.reversed() { migration.rollBack() }
      throw error
    }
    try commit(pending)
  }

  private func note(_ pending: [PendingMigration]) throws {
    guard pending.count > 1, let last = pending.last else { return }
    let note = JointNote(group: UUID().uuidString, lastPath: last.handle.filePath)
    for migration in pending.dropLast() { try migration.keepCopy(for: note) }
    try last.join(note)
  }

  private func commit(_ pending: [PendingMigration]) throws {
    for (index, migration) in pending.enumerated() {
      do {
        try migration.commitAlone()
      } catch {
        for other in pending[index...].reversed() { other.rollBack() }
        // Each store that was already committed finds that the last store was not, and restores its copy.
        for other in pending[..<index] { try UndecidedMigration.resolve(other.handle, timeout: .seconds(60)) }
        throw error
      }
    }
    // The migration is final. The note in the last store is removed last, because the other notes refer to that store.
    for migration in pending { try? migration.forgetNotes() }
    for migration in pending { migration.finish() }
  }
}

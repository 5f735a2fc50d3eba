import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The files of values that one transaction writes and makes superfluous.
///
/// It exists only while its process holds SQLite's lock for writing; its correctness depends on that. Files are
/// numbered in order, and the store has the next number: the files of committed rows have lower ones. A file with that
/// number or a higher one is therefore this transaction's; one that exists at its beginning was left behind by a killed
/// process. Triggers put the references of rows that change or are deleted into a table, in the same transaction. No
/// row refers to a file in that table, now or later, except rows that another program has written. So references to
/// files that do not exist yet are taken off the list, and a file of another size is not removed.
final class ExternalTransaction: ExternalValueWriter {
  static let largestInline = 100 << 10

  let folder: ExternalFolder
  private let connection: SQLiteConnection
  /// The number of the first file of this transaction.
  private let first: Int64
  private var next: Int64
  /// The numbers of the files that it has written, in their order.
  private var written: [Int64] = []
  /// What `next` was at each savepoint, the innermost last.
  private var savepoints: [(savepoint: Int, next: Int64)] = []

  /// Begins right after the transaction on the connection, and removes what others left behind.
  ///
  /// - Parameter isNested: Whether it is a part of another transaction, which may still be undone: then what that made
  ///   superfluous must stay.
  init(folder: ExternalFolder, connection: SQLiteConnection, isNested: Bool = false) throws {
    self.folder = folder
    self.connection = connection
    first = try connection.nextExternalNumber(in: folder)
    next = first
    removeOrphans()
    if !isNested { try removeSuperfluous() }
  }

  var largestInline: Int { Self.largestInline }

  func keep(_ bytes: UnsafeRawBufferPointer) throws -> String {
    if folder.contains(next) { next = try max(next, ExternalReferences(connection).nextNumber()) }
    guard next < .max else {
      throw SwiftDataError(.storeFull, "The store has used up all numbers of files in \(folder.path).")
    }
    try folder.write(bytes, as: next)
    written.append(next)
    defer { next += 1 }
    return ExternalReference(number: next, count: bytes.count).text
  }

  var mark: Int64 { next }

  func discard(from mark: Int64) { removeFiles(from: mark) }

  // MARK: Savepoints

  func mark(_ savepoint: Int) { savepoints.append((savepoint, next)) }

  func rollBack(to savepoint: Int) {
    if let mark = savepoints.last(where: { $0.savepoint == savepoint }) { removeFiles(from: mark.next) }
  }

  /// Forgets a savepoint and those inside of it.
  func forgetMarks(from savepoint: Int) {
    savepoints.removeAll { $0.savepoint >= savepoint }
  }

  // MARK: The end

  /// Makes the files durable before the rows are, and returns those that no row refers to from the commit on.
  func prepareCommit() throws -> [ExternalReference] {
    if !written.isEmpty {
      try folder.sync()
      try connection.setNextExternalNumber(next)
    }
    return try connection.superfluousFiles(withNewFrom: first)
  }

  /// Removes files whose rows are gone for good, once the commit that took them away survives whatever happens.
  ///
  /// They stay listed, and the next transaction finds out whether they are gone.
  func didCommit(superfluous: [ExternalReference]) {
    remove(superfluous)
  }

  /// Removes what the transaction wrote, while it still holds the lock: afterwards the numbers may be another's.
  func undo() {
    removeFiles(from: first)
  }

  /// From the last to the first, so that a process that is killed meanwhile leaves no gap: files behind a gap are not
  /// found.
  private func removeFiles(from number: Int64) {
    while let last = written.last, last >= number {
      folder.remove(last)
      written.removeLast()
    }
    next = min(next, number)
  }

  // MARK: Files of killed processes

  private func removeOrphans() {
    var end = first
    while end < .max, folder.contains(end) { end += 1 }
    while end > first {
      end -= 1
      folder.remove(end)
    }
  }

  private func removeSuperfluous() throws {
    let references = try connection.superfluousFiles()
    guard !references.isEmpty else { return }
    if remove(references.filter { folder.contains($0.number) }) { try connection.forgetSuperfluousFiles() }
  }

  /// Removes files after the commits so far have reached the disk; false when they could not.
  ///
  /// A commit may still be undone by a power failure, where the store does not wait for the disk, and would then want
  /// the files back.
  @discardableResult
  private func remove(_ references: [ExternalReference]) -> Bool {
    guard !references.isEmpty else { return true }
    guard osd_sqlite_sync_log(connection.handle.pointer) == SQLITE_OK else { return false }
    for reference in references { folder.remove(reference) }
    return true
  }
}

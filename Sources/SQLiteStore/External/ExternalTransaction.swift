import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The files of values that one transaction writes or makes superfluous.
///
/// It exists only while its process holds SQLite's write lock, on which its correctness depends. Files are numbered in
/// order, and the store has the next number: the files of committed rows have lower ones. A file with that or a higher
/// number therefore belongs to this transaction, or, if it exists at the beginning, was left behind by a killed
/// process. Triggers store the references of changed or deleted rows in a table, in the same transaction. No row
/// references a file in that table, now or later, except rows that another program has written. Therefore references to
/// files that do not exist yet are taken off the list, and a file of another size is not removed.
final class ExternalTransaction: ExternalValueWriter {
  static let largestInline = 100 << 10

  let folder: ExternalFolder
  private let connection: SQLiteConnection
  /// The number of the transaction's first file.
  private let first: Int64
  private var next: Int64
  /// The numbers of the files that it has written, in ascending order.
  private var written: [Int64] = []
  /// The value of `next` at each savepoint, the innermost last.
  private var savepoints: [(savepoint: Int, next: Int64)] = []

  /// Begins right after the connection's transaction, and removes leftover files.
  ///
  /// - Parameter isNested: Whether it is part of another transaction, which may still be rolled back: files that the
  ///   outer transaction made superfluous must then stay.
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

  /// Forgets a savepoint and those inside it.
  func forgetMarks(from savepoint: Int) {
    savepoints.removeAll { $0.savepoint >= savepoint }
  }

  // MARK: The end

  /// Makes the files durable before the rows, and returns those without a reference after the commit.
  func prepareCommit() throws -> [ExternalReference] {
    if !written.isEmpty {
      try folder.sync()
      try connection.setNextExternalNumber(next)
    }
    return try connection.superfluousFiles(withNewFrom: first)
  }

  /// Removes the files of deleted rows once the commit that deleted them is durable.
  ///
  /// They stay listed; the next transaction checks whether they are gone.
  func didCommit(superfluous: [ExternalReference]) {
    remove(superfluous)
  }

  /// Removes the files that the transaction wrote, while it still holds the lock: later, another may use their numbers.
  func undo() {
    removeFiles(from: first)
  }

  /// From last to first, so that a killed process leaves no gap: files after a gap are not found.
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

  /// Removes files after all commits so far have reached the disk; false if they could not be flushed.
  ///
  /// Unless the store flushes each commit, a power failure may still undo a commit, and its rows would then need the
  /// files again.
  @discardableResult
  private func remove(_ references: [ExternalReference]) -> Bool {
    guard !references.isEmpty else { return true }
    guard osd_sqlite_sync_log(connection.handle.pointer) == SQLITE_OK else { return false }
    for reference in references { folder.remove(reference) }
    return true
  }
}

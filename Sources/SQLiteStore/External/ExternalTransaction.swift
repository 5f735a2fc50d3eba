import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The files of values that one transaction writes or makes superfluous.
///
/// It exists only while its process holds SQLite's write lock, on which its correctness depends. Files are numbered in
/// order, and the store has the next number, so files of committed rows have lower numbers. A file with the next or a
/// higher number belongs to this transaction, or, if it exists at the beginning, was left behind by a killed process.
/// Triggers list the references of changed or deleted rows in a table, in the same transaction. Only a row that another
/// program has written may still reference a listed file. Therefore, a reference to a new file is taken off the list at
/// the commit if a row contains it, and a file of another size is not removed.
final class ExternalTransaction: ExternalValueWriter {
  static let largestInline = 100 << 10

  let folder: ExternalFolder
  private let connection: SQLiteConnection
  /// The number of the transaction's first file.
  private let first: Int64
  private var next: Int64
  /// The numbers of the files that the transaction has written, in ascending order.
  private var written: [Int64] = []
  /// The value of `next` at each savepoint, the innermost last.
  private var savepoints: [(savepoint: Int, next: Int64)] = []

  /// Begins right after the connection's transaction, and removes files that a killed process left behind.
  ///
  /// - Parameter isNested: Whether it is part of another transaction. If so, files that the outer transaction made
  ///   superfluous must stay, since the outer transaction may still be rolled back.
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

  /// Removes a savepoint and the savepoints inside it.
  func forgetMarks(from savepoint: Int) {
    savepoints.removeAll { $0.savepoint >= savepoint }
  }

  // MARK: The end

  /// Makes new files durable before their rows, and returns the references that no row contains after the commit.
  func prepareCommit() throws -> [ExternalReference] {
    if !written.isEmpty {
      try folder.sync()
      try connection.setNextExternalNumber(next)
    }
    return try connection.superfluousFiles(withNewFrom: first)
  }

  /// Removes the files of deleted rows once the commit that deleted them is durable.
  ///
  /// The references stay listed; the next transaction removes files that still exist, and clears the list.
  func didCommit(superfluous: [ExternalReference]) {
    remove(superfluous)
  }

  /// Removes the files that the transaction wrote. Call it while holding the lock: later, their numbers are reused.
  func undo() {
    removeFiles(from: first)
  }

  /// Removes files from last to first, so that a killed process leaves no gap: files after a gap are not found.
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
  /// Unless the store flushes each commit, a power failure may undo a commit. The old rows then need the files again.
  @discardableResult
  private func remove(_ references: [ExternalReference]) -> Bool {
    guard !references.isEmpty else { return true }
    guard osd_sqlite_sync_log(connection.handle.pointer) == SQLITE_OK else { return false }
    for reference in references { folder.remove(reference) }
    return true
  }
}

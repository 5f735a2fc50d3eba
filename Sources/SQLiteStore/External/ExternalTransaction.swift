import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The files of values that one transaction writes or makes superfluous.
///
/// The object exists only while its process holds SQLite's write lock. Files are numbered in order, and the store
/// contains the next number, so files of committed rows have lower numbers. A file with the next or a higher number was
/// written by this transaction or, if it exists at the beginning, by a killed process. In the same transaction,
/// triggers list the references of changed and deleted rows for removal. A listed file is still in use only if another
/// program has written the reference into a row. Therefore, a new file stays if a row references it at the commit, and
/// a file whose size differs from the listed reference is not removed.
final class ExternalTransaction: ExternalValueWriter {
  static let largestInline = 100 << 10

  let folder: ExternalFolder
  private let connection: SQLiteConnection
  /// The number of the transaction's first file.
  private let first: Int64
  private var next: Int64
  /// The numbers of the files that the transaction has written, in ascending order.
  private var written: [Int64] = []
  /// The next file number when each savepoint was set, with the innermost savepoint last.
  private var savepoints: [(savepoint: Int, next: Int64)] = []

  /// Removes files that a killed process left behind. Call this right after the connection has begun its transaction.
  ///
  /// - Parameter isNested: Whether the transaction is part of another one. If so, files that the outer transaction made
  ///   superfluous are not removed, since the outer transaction may still be rolled back.
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

  /// Flushes new files before their rows are committed. Returns the references that no row contains after the commit.
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

  /// Removes the files that the transaction wrote. Call this under the lock: the next transaction reuses the numbers.
  func undo() {
    removeFiles(from: first)
  }

  /// Removes files from last to first. If the process is killed, the numbers of the remaining files have no gap, so the
  /// next transaction finds them all.
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

  /// Flushes all commits so far, and then removes the files. Returns false if the commits could not be flushed.
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

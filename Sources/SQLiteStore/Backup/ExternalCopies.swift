import Foundation
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// Copies the external files that the rows of a snapshot reference, while saves may remove files.
///
/// A file never changes, and its number is never reused. If a save has removed a file before it was copied, the backup
/// begins a newer snapshot, which no longer references that file, and copies the files that it has not copied yet. If
/// the newer snapshot still references the missing file, the store itself has lost the file.
final class ExternalCopies {
  /// The maximum number of snapshots. During the last one, saves have to wait until the files are copied.
  private static let mostSnapshots = 8

  private let source: ExternalFolder
  private let target: ExternalFolder
  private let connection: SQLiteConnection
  private let work: StoreWork
  private var copied: Set<Int64> = []
  /// The numbers of files that did not exist when the backup copied them.
  private var missing: Set<Int64> = []

  init(from source: ExternalFolder, to target: ExternalFolder, of connection: SQLiteConnection, work: StoreWork) {
    self.source = source
    self.target = target
    self.connection = connection
    self.work = work
  }

  /// Copies the files. Afterwards, the connection reads the snapshot whose rows reference the copied files.
  ///
  /// - Returns: Whether the copy has a folder with files.
  func make(locking: () throws -> SQLiteConnection) throws -> Bool {
    for _ in 1..<Self.mostSnapshots {
      try connection.beginSnapshot()
      if try copyFiles() { return try finish() }
      connection.endSnapshot()
    }
    let lock = try locking()
    // A read-only store cannot be locked. Copying without the lock succeeds if no save removes a file meanwhile.
    let isLocked = (try? lock.handle.execute("BEGIN IMMEDIATE")) != nil
    defer { if isLocked { try? lock.handle.execute("ROLLBACK") } }
    try connection.beginSnapshot()
    // While the lock is held, no save removes files. So a file that neither of the two calls finds is lost.
    guard try copyFiles() || (isLocked && copyFiles()) else {
      connection.endSnapshot()
      throw SwiftDataError(
        .storeBusy,
        "Other programs replace large values of the store at \(connection.handle.path) faster than they are copied. "
          + "Back it up when less is saved.")
    }
    return try finish()
  }

  /// Copies the files that the snapshot references. Returns false if a file is missing that no earlier call missed.
  private func copyFiles() throws -> Bool {
    var current: Set<Int64> = []
    var isComplete = true
    let known = missing
    for sql in connection.database.externalReferences {
      let statement = try SQLiteStatement(sql, on: connection.handle)
      while try statement.step() {
        guard let reference = statement.text(0).flatMap(ExternalReference.init) else { continue }
        current.insert(reference.number)
        guard !copied.contains(reference.number) else { continue }
        try work.checkCancellation()
        if try !copy(reference), !known.contains(reference.number) { isComplete = false }
      }
    }
    if isComplete { removeAll(but: current) }
    return isComplete
  }

  private func copy(_ reference: ExternalReference) throws -> Bool {
    let number = reference.number
    do {
      if copied.isEmpty { try makeFolder() }
      try ExternalFile.copy(source.path(of: number), to: target.path(of: number), count: reference.count)
      copied.insert(number)
      return true
    } catch let failure as ExternalFile.Unreadable {
      guard failure.isLost else { throw failure.storeError(source.path(of: number), nothing: "backed up") }
      missing.insert(number)
      return false
    } catch let failure as SystemFailure {
      throw failure.storeError {
        "The file of a large value cannot be copied to \(target.path(of: number)): \($0). Nothing was backed up."
      }
    }
  }

  private func makeFolder() throws(SystemFailure) {
    try target.makeIfMissing()
  }

  private func removeAll(but current: Set<Int64>) {
    for number in copied.subtracting(current) { target.remove(number) }
    copied.formIntersection(current)
  }

  /// Flushes the copies after all are written, so that the disk can write them together.
  private func finish() throws -> Bool {
    guard access(target.path, F_OK) == 0 else { return false }
    do throws(SystemFailure) {
      for number in copied { try ExternalFile.sync(target.path(of: number)) }
      try ExternalFile.syncFolder(target.path)
      return true
    } catch {
      connection.endSnapshot()
      throw error.storeError { "The large values in \(target.path) cannot be flushed: \($0). Nothing was backed up." }
    }
  }
}

extension DatabaseMapping {
  /// Queries that select the references to external files, one query for each column.
  var externalReferences: [String] {
    let dialect = SQLiteDialect()
    return externalColumns.map { table, column in
      "SELECT \(dialect.quoted(column)) FROM \(dialect.quoted(table)) "
        + "WHERE \(dialect.isExternalReference(dialect.quoted(column)))"
    }
  }

  /// The tables and columns that may contain references to external files.
  var externalColumns: [(table: String, column: String)] {
    tables.filter { !$0.isShared }.flatMap { table in
      ExternalTables.columns(of: table).map { (table: table.name, column: $0.name) }
    }
  }
}

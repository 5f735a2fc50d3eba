import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The external files of a backup that is being restored.
///
/// The copied files get numbers that the store has never used, so that the old files stay until the new rows are
/// committed. If the process is killed, a later ``ExternalTransaction`` removes the files that no row references.
/// Before the commit, no row references the copied files, whose numbers the store has not assigned yet. After the
/// commit, no row references the old files, which the restored store lists for removal.
final class RestoredFiles {
  private let folder: ExternalFolder
  private let first: Int64
  private var next: Int64
  private let work: StoreWork
  /// The new numbers of the backup's files, by their old numbers.
  private var numbers: [Int64: Int64] = [:]
  /// The old numbers of files that are lost in the backup.
  private var lost: Set<Int64> = []

  init(to folder: ExternalFolder, number: Int64, _ work: StoreWork) {
    self.folder = folder
    first = number
    next = number
    self.work = work
  }

  /// A temporary copy of the backup's database.
  struct Copy {
    let handle: SQLiteHandle

    func remove() { Self.remove(handle.path) }

    static func remove(_ path: String) { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) } }
  }

  /// Copies the external files and the database, and changes file numbers and history numbers in the copied database.
  /// Returns nil if no number has to change: the backup itself can then be restored.
  ///
  /// - Parameter history: The last history number of the replaced store. The history of the copy continues after it.
  func copy(of source: RestorableBackup, at path: String, _ history: RestoredHistory?) throws -> Copy? {
    let hasFiles = !source.externalColumns.isEmpty
    guard try hasFiles || history?.isBehind(in: source.handle) == true else { return nil }
    Copy.remove(path)
    let handle = try SQLiteHandle(opening: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: path)
    let copy = Copy(handle: handle)
    do {
      try handle.execute("PRAGMA synchronous = OFF")
      try handle.working(on: work) {
        try handle.takePages(of: source.handle, work)
        // The pages of a backup in WAL mode have switched the copy to that mode too.
        try handle.execute("PRAGMA journal_mode = MEMORY")
        if hasFiles {
          try copyFiles(of: source, in: handle)
          try rewrite(handle, source)
        }
        try history?.goOn(in: handle)
      }
      if next > first { try sync() }
      return copy
    } catch {
      undo()
      copy.remove()
      throw error
    }
  }

  /// Copies the files that the rows of the copied database reference. These rows are the ones to be restored.
  private func copyFiles(of source: RestorableBackup, in handle: SQLiteHandle) throws {
    for sql in source.externalReferences {
      let statement = try SQLiteStatement(sql, on: handle)
      while try statement.step() {
        guard let reference = statement.text(0).flatMap(ExternalReference.init),
          // Two rows may name different sizes for one file. If the first size is wrong, the second one is tried.
          numbers[reference.number] == nil || lost.contains(reference.number)
        else { continue }
        try work.checkCancellation()
        try copy(reference, from: source.folder)
      }
    }
  }

  private func copy(_ reference: ExternalReference, from source: ExternalFolder) throws {
    let number = try newNumber(of: reference.number)
    do {
      try folder.makeIfMissing()
      try ExternalFile.copy(source.path(of: reference.number), to: folder.path(of: number), count: reference.count)
      lost.remove(reference.number)
    } catch let failure as ExternalFile.Unreadable {
      guard failure.isLost else { throw failure.storeError(source.path(of: reference.number), nothing: "restored") }
      // The file was already lost when the backup was made, or the backup itself has lost it since. A check of the
      // restored store reports the row.
      lost.insert(reference.number)
    } catch let failure as SystemFailure {
      throw failure.storeError {
        "The file of a large value cannot be written to \(self.folder.path(of: number)): \($0). Nothing was restored."
      }
    }
  }

  /// Flushes the files after all are written, so that the disk can write them together.
  private func sync() throws {
    do throws(SystemFailure) {
      for (old, new) in numbers where !lost.contains(old) { try ExternalFile.sync(folder.path(of: new)) }
    } catch {
      throw error.storeError {
        "The large values in \(self.folder.path) cannot be flushed: \($0). Nothing was restored."
      }
    }
    try folder.sync()
  }

  private func newNumber(of number: Int64) throws -> Int64 {
    if let known = numbers[number] { return known }
    guard next < .max else {
      throw SwiftDataError(.storeFull, "The store has used up all numbers of files in \(folder.path).")
    }
    defer { next += 1 }
    numbers[number] = next
    return next
  }

  // MARK: References

  private func rewrite(_ handle: SQLiteHandle, _ source: RestorableBackup) throws {
    let dialect = SQLiteDialect()
    try handle.execute("BEGIN; CREATE TEMP TABLE numbers (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
    let insertion = try SQLiteStatement("INSERT INTO numbers VALUES (?1, ?2)", on: handle)
    for (old, new) in numbers {
      try insertion.bind(old, at: 1)
      try insertion.bind(new, at: 2)
      try insertion.run()
    }
    for (table, column) in source.externalColumns {
      let column = dialect.quoted(column)
      let number = "CAST(\(column) AS INTEGER)"
      try handle.execute(
        "UPDATE \(dialect.quoted(table)) SET \(column) = (SELECT new FROM numbers WHERE old = \(number)) "
          + "|| substr(\(column), instr(\(column), ':')) "
          + "WHERE \(dialect.isExternalReference(column)) AND \(number) IN (SELECT old FROM numbers)")
    }
    try handle.execute("DELETE FROM \(ExternalTables.superfluous)")
    try list(oldFiles(), in: handle)
    try setNext(in: handle)
    try handle.execute("COMMIT; DROP TABLE numbers")
  }

  /// Lists files for removal after the new rows are committed.
  private func list(_ files: [Int64], in handle: SQLiteHandle) throws {
    let insertion = try SQLiteStatement(
      "INSERT OR IGNORE INTO \(ExternalTables.superfluous) VALUES (?1)", on: handle)
    for number in files {
      // A file is removed only if it has the listed size.
      try insertion.bind(ExternalReference(number: number, count: folder.size(of: number)).text, at: 1)
      try insertion.run()
    }
  }

  private func setNext(in handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement(
      "INSERT OR REPLACE INTO \(StoreFormat.sequenceTable) VALUES (?1, ?2)", on: handle)
    try statement.bind(ExternalTables.sequence, at: 1)
    try statement.bind(next, at: 2)
    try statement.run()
  }

  /// The numbers of the files that the store had before the restoration.
  private func oldFiles() -> [Int64] {
    folder.numbers().filter { $0 < first }
  }

  // MARK: The end

  /// Removes the copied files, beginning with the last one, as ``ExternalTransaction`` does.
  func undo() {
    while next > first {
      next -= 1
      folder.remove(next)
    }
    // Succeeds only if the folder is empty.
    rmdir(folder.path)
  }

  /// Removes all files that no restored row references. Call this after the new rows were flushed to the disk.
  func removeOthers() {
    for number in folder.numbers() where number < first || number >= next { folder.remove(number) }
    if next == first { rmdir(folder.path) }
  }
}

extension ExternalFolder {
  /// The size of a file; 0 if it does not exist.
  fileprivate func size(of number: Int64) -> Int {
    var status = stat()
    return stat(path(of: number), &status) == 0 ? Int(status.st_size) : 0
  }

  /// The numbers of all files.
  func numbers() -> [Int64] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).compactMap { name in
      // Accepts names as the library writes them, but not `+7` or `007`.
      Int64(name).flatMap { $0 > 0 && "\($0)" == name ? $0 : nil }
    }
  }
}

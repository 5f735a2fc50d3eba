import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The files of large values that a restoration brings along.
///
/// They get numbers that no file of the store has had, so that the old files stay until the new rows are committed.
/// ``ExternalTransaction`` says what becomes of them if the process is killed: new files without rows have the next number or
/// a higher one, and old files without rows are listed in the new rows' store.
final class RestoredFiles {
  private let folder: ExternalFolder
  private let first: Int64
  private var next: Int64
  private let work: StoreWork
  /// The numbers that files of the backup have got.
  private var numbers: [Int64: Int64] = [:]
  /// The files of the backup that could not be read.
  private var lost: Set<Int64> = []

  init(to folder: ExternalFolder, number: Int64, _ work: StoreWork) {
    self.folder = folder
    first = number
    next = number
    self.work = work
  }

  /// A copy of a backup, in a file of its own.
  struct Copy {
    let handle: SQLiteHandle

    func remove() { Self.remove(handle.path) }

    static func remove(_ path: String) { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) } }
  }

  /// Copies the files, and the backup with references to them; nil if it can be taken as it is.
  ///
  /// - Parameter history: Where the history of the copy goes on. In the copy, so that pages and number are restored at once.
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
        // The pages may say that there is a log.
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

  /// Copies the files that rows of the copy refer to: these rows will be restored.
  private func copyFiles(of source: RestorableBackup, in handle: SQLiteHandle) throws {
    for sql in source.externalReferences {
      let statement = try SQLiteStatement(sql, on: handle)
      while try statement.step() {
        guard let reference = statement.text(0).flatMap(ExternalReference.init),
          // Of two rows with one file, one may have a size that the file has not.
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
      // The value was lost before the backup was made, or with a part of that. A check names its row.
      lost.insert(reference.number)
    } catch let failure as SystemFailure {
      throw failure.storeError {
        "The file of a large value cannot be written to \(self.folder.path(of: number)): \($0). Nothing was restored."
      }
    }
  }

  /// Flushes the files: all are written by now, so that the disk can write them together.
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

  /// Lists files that are to go when the new rows are there.
  private func list(_ files: [Int64], in handle: SQLiteHandle) throws {
    let insertion = try SQLiteStatement(
      "INSERT OR IGNORE INTO \(ExternalTables.superfluous) VALUES (?1)", on: handle)
    for number in files {
      // A file goes only if it has the size that is listed.
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

  /// The files that the store has had so far.
  private func oldFiles() -> [Int64] {
    folder.numbers().filter { $0 < first }
  }

  // MARK: The end

  /// Removes what was copied, from the last to the first: see ``ExternalTransaction``.
  func undo() {
    while next > first {
      next -= 1
      folder.remove(next)
    }
    // Goes if the folder was made for them.
    rmdir(folder.path)
  }

  /// Removes the files that no row refers to any more. Call it when the new rows are on the disk.
  func removeOthers() {
    for number in folder.numbers() where number < first || number >= next { folder.remove(number) }
    if next == first { rmdir(folder.path) }
  }
}

extension ExternalFolder {
  /// The size of a file; 0 if there is none.
  fileprivate func size(of number: Int64) -> Int {
    var status = stat()
    return stat(path(of: number), &status) == 0 ? Int(status.st_size) : 0
  }

  /// The numbers of all files.
  func numbers() -> [Int64] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).compactMap { name in
      // As the library writes them, and not `+7` or `007`.
      Int64(name).flatMap { $0 > 0 && "\($0)" == name ? $0 : nil }
    }
  }
}

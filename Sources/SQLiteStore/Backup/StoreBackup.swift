import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Copies the committed content of a store at one point in time, page by page.
///
/// The backup copies the snapshot of a read transaction. Therefore it does not wait for saves, and a save does not make
/// it start again. Decision 65 compares it with `VACUUM INTO`.
struct StoreBackup {
  private let connection: SQLiteConnection
  private let externalFolder: ExternalFolder?
  private let path: String
  private let work: StoreWork
  private let locking: () throws -> SQLiteConnection

  /// - Parameters:
  ///   - connection: The connection to copy from. No other code uses it.
  ///   - path: A path at which nothing exists yet.
  ///   - locking: Opens a connection that can take the write lock.
  init(
    of connection: SQLiteConnection, externalFolder: ExternalFolder?, to path: String, work: StoreWork,
    locking: @escaping () throws -> SQLiteConnection
  ) {
    self.connection = connection
    self.externalFolder = externalFolder
    self.path = path
    self.work = work
    self.locking = locking
  }

  /// Makes the backup. Returns the names of its files, with the store itself last.
  func run() throws -> [String] {
    var names: [String] = []
    if let externalFolder {
      let copies = ExternalCopies(from: externalFolder, to: ExternalFolder(storePath: path), of: connection, work: work)
      if try copies.make(locking: locking) { names.append(Self.name(of: path + ExternalFolder.suffix)) }
    } else {
      try connection.beginSnapshot()
    }
    defer { connection.endSnapshot() }
    try copyPages()
    return names + [Self.name(of: path)]
  }

  private static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  private func copyPages() throws {
    do {
      let copy = try SQLiteHandle(opening: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: path)
      // The copy is flushed once, at the end, and has no journal. After a crash the unfinished copy may be damaged.
      try copy.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
      try copy.takePages(of: connection.handle, work)
      // Without WAL mode, the backup needs no companion files and can be read from read-only media. The first save in
      // it switches to WAL mode again.
      try copy.execute("PRAGMA journal_mode = DELETE")
    }
    do throws(SystemFailure) {
      try ExternalFile.sync(path)
    } catch {
      throw error.storeError { "The backup \(path) cannot be flushed to the disk: \($0). Mend that and try again." }
    }
  }
}

extension SQLiteHandle {
  /// Overwrites the database with the pages of another one. If the call throws, the database is unchanged.
  ///
  /// - Parameter source: The copied database. If it has an open read transaction, its snapshot is copied.
  func takePages(of source: SQLiteHandle, _ work: StoreWork) throws {
    // Each step copies one megabyte of pages. Between two steps, the operation can be cancelled.
    let pagesAtOnce: Int32 = 256
    guard let backup = sqlite3_backup_init(pointer, "main", source.pointer, "main") else {
      throw error(sqlite3_errcode(pointer))
    }
    var code = SQLITE_OK
    var stopped: (any Error)?
    while code == SQLITE_OK, stopped == nil {
      code = sqlite3_backup_step(backup, pagesAtOnce)
      let total = sqlite3_backup_pagecount(backup)
      do {
        try work.advance(to: Int64(total - sqlite3_backup_remaining(backup)), of: Int64(total))
      } catch  where code == SQLITE_OK {
        stopped = error
      } catch {}
    }
    let end = sqlite3_backup_finish(backup)
    if let stopped { throw stopped }
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      // The source or the target has failed. If it was the source, its latest error has the same code.
      let failure = code == SQLITE_DONE ? end : code
      let isSource = sqlite3_errcode(source.pointer) & 0xFF == failure & 0xFF
      throw (isSource ? source : self).error(failure)
    }
  }
}

extension SQLiteConnection {
  /// Begins a read transaction and reads something at once, since SQLite takes the snapshot at the first read.
  func beginSnapshot() throws {
    try handle.execute("BEGIN")
    do {
      _ = try handle.number("SELECT count(*) FROM sqlite_master")
    } catch {
      endSnapshot()
      throw error
    }
  }

  func endSnapshot() {
    if handle.isInTransaction { try? handle.execute("ROLLBACK") }
  }
}

extension SQLiteStoreEngine {
  package func backUp(to path: String, _ work: StoreWork) throws -> [String] {
    try withOwnConnection { connection in
      try connection.handle.working(on: work) {
        let backup = StoreBackup(
          of: connection, externalFolder: externalFolder, to: path, work: work,
          locking: { try self.pool.openOwn() })
        return try backup.run()
      }
    }
  }
}

import CSQLite
import Foundation
import Testing

@testable import SQLiteStore

@Suite("The commit count of a write-ahead log")
struct CommitCountTests {
  private let folder: TemporaryFolder
  private let handle: SQLiteHandle
  private let other: SQLiteHandle

  init() throws {
    let folder = try TemporaryFolder()
    func open() throws -> SQLiteHandle {
      let path = folder.file().path
      return try SQLiteHandle(opening: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: path)
    }
    (self.folder, handle, other) = (folder, try open(), try open())
    try handle.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    _ = try other.number("SELECT count(*) FROM t")
  }

  @Test("increases by one with each commit of any connection, of one page or many pages, and otherwise stays unchanged")
  func counting() throws {
    let start = try #require(handle.commitCount)
    #expect(other.commitCount == start)
    for _ in 0..<3 { try handle.execute("INSERT INTO t VALUES (1)") }
    try other.execute("INSERT INTO t VALUES (zeroblob(50000))")
    try other.execute("BEGIN; INSERT INTO t VALUES (2); INSERT INTO t VALUES (3); COMMIT")
    try handle.execute("PRAGMA cache_size = 5; BEGIN; INSERT INTO t VALUES (zeroblob(500000)); ROLLBACK")
    _ = try other.number("SELECT count(*) FROM t")
    #expect(handle.commitCount == start + 5)
    #expect(other.commitCount == start + 5)
  }

  @Test("continues when the log is restarted", arguments: ["RESTART", "TRUNCATE"])
  func anew(_ mode: String) throws {
    let start = try #require(handle.commitCount)
    try handle.execute("INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(\(mode)); INSERT INTO t VALUES (1)")
    #expect(other.commitCount == start + 2)
  }

  @Test("is nil without a log, and reading the count creates no log")
  func noLog() throws {
    let path = folder.file("plain").path
    let plain = try SQLiteHandle(opening: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: path)
    try plain.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    #expect(plain.commitCount == nil)
    #expect(!folder.names.contains("plain-shm"))
  }
}

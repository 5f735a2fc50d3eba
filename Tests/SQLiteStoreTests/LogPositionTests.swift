import CSQLite
import Foundation
import Testing

@testable import SQLiteStore

@Suite("Places in the write-ahead log")
struct LogPositionTests {
  private let folder: TemporaryFolder
  private let writer: SQLiteHandle

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.file().path
    writer = try SQLiteHandle(opening: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: path)
    try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(20000))")
  }

  private func commits(after known: LogPosition?) -> Int64? { writer.scanLog(after: known)?.commits }

  @Test("say how many commits came after them, of one page or of many")
  func counting() throws {
    let start = try #require(writer.scanLog(after: nil)).end
    #expect(commits(after: start) == 0)
    for _ in 0..<3 { try writer.execute("INSERT INTO t VALUES (1)") }
    try writer.execute("INSERT INTO t VALUES (zeroblob(50000))")
    try writer.execute("BEGIN; INSERT INTO t VALUES (2); ROLLBACK")
    #expect(commits(after: start) == 4)
    let end = try #require(writer.scanLog(after: start)).end
    #expect(end == writer.scanLog(after: nil)?.end)
    #expect(commits(after: end) == 0)
  }

  @Test("say nothing once the log has begun anew")
  func anew() throws {
    let start = try #require(writer.scanLog(after: nil)).end
    try writer.execute("PRAGMA wal_checkpoint(RESTART); INSERT INTO t VALUES (1)")
    let scan = try #require(writer.scanLog(after: start))
    #expect(scan.commits == nil)
    try writer.execute("INSERT INTO t VALUES (1)")
    #expect(commits(after: scan.end) == 1)
  }

  @Test("say nothing if the commit that was there was overwritten")
  func overwritten() throws {
    let end = try #require(writer.scanLog(after: nil)).end
    // What a process leaves that is killed after it has written a commit, and before others see it.
    let log = try FileHandle(forUpdating: URL(filePath: folder.file().path + "-wal"))
    let size = try log.seekToEnd()
    try log.seek(toOffset: 16)
    let salts = try #require(try log.read(upToCount: 8))
    try log.seek(toOffset: size)
    try log.write(contentsOf: Data([0, 0, 0, 2, 0, 0, 0, 9]) + salts + Data(repeating: 7, count: 8 + 4096))
    let scan = try #require(writer.scanLog(after: end))
    #expect(scan.commits == 1)
    #expect(commits(after: scan.end) == 0)
    try writer.execute("INSERT INTO t VALUES (1)")
    #expect(commits(after: scan.end) == nil)
    #expect(commits(after: end) == 1)
  }
}

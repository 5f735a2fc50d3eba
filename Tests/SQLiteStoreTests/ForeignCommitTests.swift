import ConformanceSupport
import Dispatch
import Foundation
import PersistenceCore
import SQLiteStore
import Testing

@Suite("Detection of commits by other processes")
struct ForeignCommitTests {
  /// Reads all items, and runs the block while the read is open.
  private static func search(_ engine: SQLiteStoreEngine, _ item: EntityLayout, _ body: () -> Void = {}) throws {
    try engine.fetch(FetchRequest(entity: item), in: nil) { rows in
      body()
      _ = try rows.all(columns: 1)
    }
  }

  @Test("a process that never writes detects commits of other processes on any of its connections")
  func severalReaders() throws {
    let folder = try TemporaryFolder()
    let writing = try SampleStore(folder.configuration())
    try writing.insert([["count": 1], ["count": 2]])
    let reading = try SampleStore(folder.configuration())
    let (engine, item) = (reading.engine, reading.entities.item)
    try Self.search(engine, item)
    let before = engine.foreignChangeCount
    // Another thread uses the first connection for a read that began before the commit.
    let (isReading, mayEnd, hasEnded) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread {
      try? Self.search(engine, item) {
        isReading.signal()
        mayEnd.wait()
      }
      hasEnded.signal()
    }
    isReading.wait()
    try writing.insert([["count": 3]])
    // The first connection is returned to the pool before the second one. So all later reads use the second connection.
    try Self.search(engine, item) {
      mayEnd.signal()
      hasEnded.wait()
    }
    try Self.search(engine, item)
    #expect(engine.foreignChangeCount > before)
  }

  @Test("a commit between the opening and the first fetch is detected only once")
  func betweenOpeningAndReading() throws {
    let folder = try TemporaryFolder()
    let writing = try SampleStore(folder.configuration())
    try writing.insert([["count": 1]])
    let reading = try SampleStore(folder.configuration())
    let before = reading.engine.foreignChangeCount
    try writing.insert([["count": 2]])
    for _ in 0..<3 { try Self.search(reading.engine, reading.entities.item) }
    #expect(reading.engine.foreignChangeCount == before + 1)
  }

  @Test("a commit is detected once when a transaction begins; commits of the same engine are not reported")
  func beginning() throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore(folder.configuration())
    try store.insert([["count": 1]])
    let before = store.engine.foreignChangeCount
    try store.insert([["count": 2]])
    #expect(store.engine.foreignChangeCount == before)
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1])
      c.execute('UPDATE "Item" SET "count" = 5')
      c.commit()
      """
    #expect(try PythonProcess.run(script, arguments: [folder.file().path]) == 0)
    try store.engine.beginTransaction().rollBack()
    #expect(store.engine.foreignChangeCount == before + 1)
    let other = try SampleStore(folder.configuration())
    try other.insert([["count": 3]])
    for _ in 0..<2 { try store.engine.beginTransaction().rollBack() }
    #expect(store.engine.foreignChangeCount == before + 2)
  }

  @Test("without commits of other processes, none is reported")
  func none() throws {
    let folder = try TemporaryFolder()
    let writing = try SampleStore(folder.configuration())
    try writing.insert([["count": 1]])
    let reading = try SampleStore(folder.configuration())
    let (engine, item) = (reading.engine, reading.entities.item)
    let before = engine.foreignChangeCount
    try Self.search(engine, item)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in try? Self.search(engine, item) }
    try Self.search(engine, item)
    #expect(engine.foreignChangeCount == before)
  }
}

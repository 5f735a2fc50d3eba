import ConformanceSupport
import Dispatch
import Foundation
import PersistenceCore
import SQLiteStore
import Testing

@Suite("Concurrent connections to a SQLite store")
struct ContentionTests {
  @Test("beginning a second transaction on the same thread throws after the timeout", arguments: [true, false])
  func sameThread(isInMemory: Bool) throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration(timeout: .milliseconds(100))
    if isInMemory { configuration.location = .memory }
    let store = try SampleStore(configuration)
    let transaction = try store.engine.beginTransaction()
    #expect(throws: SwiftDataError.storeBusy) { _ = try store.engine.beginTransaction() }
    try transaction.commit()
    try store.insert([["count": 1]])
    #expect(try store.values(1)?[2] == 1)
  }

  @Test("a transaction waits for the end of another process's transaction")
  func otherProcessFinishes() async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore(folder.configuration())
    let process = try PythonProcess(PythonProcess.holdLock, arguments: [folder.file().path])
    Thread.detachNewThread {
      // Gives the insertion below time to wait. The wait cannot be observed, because it happens inside SQLite.
      letTimePass(.milliseconds(200))
      _ = process.finish()
    }
    try store.insert([["count": 1]])
    #expect(try store.values(1)?[2] == 1)
  }

  @Test(
    "if another process does not end its transaction, a new transaction throws after the timeout, and reads still work")
  func otherProcessStays() throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore(folder.configuration(timeout: .milliseconds(200)))
    try store.insert([["count": 1]])
    let process = try PythonProcess(PythonProcess.holdLock, arguments: [folder.file().path])
    let error = #expect(throws: SwiftDataError.self) { _ = try store.engine.beginTransaction() }
    #expect(error == .storeBusy)
    #expect((error?.underlyingError as? SQLiteError)?.primaryCode == 5)
    #expect(try store.values(1)?[2] == 1)
    #expect(process.finish() == 0)
    try store.insert([["count": 2]])
  }

  @Test("opening a new file that another process has locked throws")
  func lockedAtCreation() throws {
    let folder = try TemporaryFolder()
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute('BEGIN EXCLUSIVE')
      print('locked')
      sys.stdin.read()
      """
    let process = try PythonProcess(script, arguments: [folder.file().path])
    #expect(throws: SwiftDataError.storeBusy) {
      _ = try SampleStore(folder.configuration(timeout: .milliseconds(100)))
    }
    #expect(process.finish() == 0)
    _ = try SampleStore(folder.configuration())
  }

  @Test("a fetch may start another fetch, to any depth, without a deadlock", arguments: [true, false])
  func nestedFetches(isInMemory: Bool) throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration()
    if isInMemory { configuration.location = .memory }
    configuration.readers = 1
    let store = try SampleStore(configuration)
    try store.insert((0..<5).map { ["count": .integer($0)] })
    #expect(try descend(store, depth: 6) == 5 * 6)
  }

  private func descend(_ store: SampleStore, depth: Int) throws -> Int {
    guard depth > 0 else { return 0 }
    var count = 0
    try store.engine.fetch(FetchRequest(entity: store.entities.item), in: nil) { rows in
      var isOnNextRow = rows.isOnFirstRow
      let isFirst = try rows.next(&isOnNextRow)
      count += isFirst ? 1 : 0
      let below = try descend(store, depth: depth - 1)
      while try rows.next(&isOnNextRow) { count += 1 }
      count += below
    }
    return count
  }

  @Test("a save may run between the rows of a fetch", arguments: [true, false])
  func savingWhileFetching(isInMemory: Bool) throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration()
    if isInMemory { configuration.location = .memory }
    let store = try SampleStore(configuration)
    try store.insert((0..<5).map { ["count": .integer($0)] })
    var keys: [RowValue] = []
    try store.engine.fetch(FetchRequest(entity: store.entities.item), in: nil) { rows in
      var isOnNextRow = rows.isOnFirstRow
      while try rows.next(&isOnNextRow) {
        let key = RowValue(rows, 0)
        keys.append(key)
        try store.inTransaction { transaction in
          try transaction.update(store.entities.item, mask: PropertyMask.bit(2), expecting: nil) {
            try $0.write([70, key])
          }
        }
      }
    }
    #expect(keys == [1, 2, 3, 4, 5])
    #expect(try store.values(5)?[2] == 70)
  }

  @Test("readers see only complete commits while another connection writes", arguments: [true, false])
  func readersAndWriters(isInMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration(timeout: .seconds(60))
    if isInMemory { configuration.location = .memory }
    configuration.readers = 3
    let store = try SampleStore(configuration)
    let engine = store.engine
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let writing = SampleStore(engine)
          for _ in 0..<25 { try writing.insert([["count": 1], ["count": -1]]) }
        }
      }
      for _ in 0..<8 {
        group.addTask {
          let reading = SampleStore(engine)
          for _ in 0..<50 {
            var sum: Int64 = 0
            let request = FetchRequest(entity: reading.entities.item, mask: PropertyMask.bit(2))
            try reading.engine.fetch(request, in: nil) { rows in
              var isOnNextRow = rows.isOnFirstRow
              while try rows.next(&isOnNextRow) {
                if case .integer(let value) = RowValue(rows, 1) { sum += value }
              }
            }
            #expect(sum == 0)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try engine.count(FetchRequest(entity: store.entities.item), in: nil) == 4 * 25 * 2)
  }

  @Test("a wait for a connection throws when the store is closed")
  func closingWhileWaiting() async throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration(timeout: .seconds(30))
    configuration.readers = 1
    let store = try SampleStore(configuration)
    let (engine, begun) = (store.engine, DispatchSemaphore(value: 0))
    let (error, waited) = await withCheckedContinuation { done in
      try? engine.fetch(FetchRequest(entity: store.entities.item), in: nil) { _ in
        // Uses a thread, which starts at once. A task might have to wait for other tests.
        Thread.detachNewThread {
          let start = ContinuousClock.now
          begun.signal()
          let result = Result { try engine.count(FetchRequest(entity: SampleEntities().item), in: nil) }
          var error: SwiftDataError?
          if case .failure(let failure) = result { error = failure as? SwiftDataError }
          done.resume(returning: (error, ContinuousClock.now - start))
        }
        begun.wait()
        // Gives the thread time to wait for the connection. It only signals that it is about to wait.
        letTimePass(.milliseconds(50))
        engine.close()
      }
    }
    #expect(error == .storeUnreachable)
    #expect(waited < .seconds(20))
  }

  @Test("uncommitted rows are visible only in their transaction, and are discarded when the transaction is released")
  func isolation() throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore(folder.configuration())
    let request = FetchRequest(entity: store.entities.item)
    do {
      let transaction = try store.engine.beginTransaction()
      try transaction.insert(into: store.entities.item) { try $0.write([1] + store.row([:])) }
      #expect(try store.engine.count(request, in: transaction) == 1)
      #expect(try store.engine.count(request, in: nil) == 0)
    }
    #expect(try store.engine.count(request, in: nil) == 0)
    try store.insert([["count": 1]])
    #expect(try store.engine.count(request, in: nil) == 1)
  }

  @Test("a commit is kept if the process is killed before a checkpoint")
  func durability() throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore(folder.configuration())
    try store.insert([["count": 42]])
    // Copies the files while the store is open. The copies are what a killed process would leave behind.
    let copy = try TemporaryFolder()
    for name in ["store.sqlite", "store.sqlite-wal"] {
      try FileManager.default.copyItem(at: folder.file(name), to: copy.file(name))
    }
    #expect(try SampleStore(copy.configuration()).values(1)?[2] == 42)
  }
}

import ConformanceSupport
import Foundation
import PersistenceCore
import Testing

@testable import SQLiteStore

@Suite("Stores that other programs restored from a dump", .serialized)
struct ReloadedStoreTests {
  private static let complete = ["\(StoreFormat.applicationIdentifier)", "\(StoreFormat.version)", "wal"]

  /// Creates a store of three rows and closes it.
  private func makeStore(_ folder: TemporaryFolder) throws {
    let store = try SampleStore(folder.configuration("made.sqlite"))
    try store.insert([["count": 1, "name": "a"], ["count": 2, "name": "b"], ["count": 3, "name": "c"]])
    store.engine.close()
  }

  private func reload(_ way: Reloading, _ folder: TemporaryFolder) throws {
    try makeStore(folder)
    try way(folder.file("made.sqlite"), to: folder.file())
  }

  private func raw(_ folder: TemporaryFolder) throws -> RawDatabase { try RawDatabase(folder.file().path) }

  private func count(_ store: SampleStore) throws -> Int {
    try store.engine.count(FetchRequest(entity: store.entities.item), in: nil)
  }

  @Test(
    "opening for saving sets the header and the write-ahead log, and the store can be written to",
    arguments: Reloading.available
  )
  func saving(_ way: Reloading) throws {
    let folder = try TemporaryFolder()
    try reload(way, folder)
    #expect(try raw(folder).header() == ["0", "0", "delete"])
    let store = try SampleStore(folder.configuration())
    #expect(try raw(folder).header() == Self.complete)
    try store.insert([["count": 4]])
    #expect(try count(store) == 4 && store.values(2)?[2] == 2)
    store.engine.close()
    #expect(try raw(folder).problems() == [])
    #expect(try SampleStore(folder.configuration("made.sqlite")).engine.identifier == store.engine.identifier)
  }

  @Test("a restored store is read unchanged if it is opened read-only", arguments: Reloading.available)
  func reading(_ way: Reloading) throws {
    let folder = try TemporaryFolder()
    try reload(way, folder)
    let bytes = try Data(contentsOf: folder.file())
    var configuration = folder.configuration()
    configuration.allowsSave = false
    let store = try SampleStore(configuration)
    #expect(try count(store) == 3)
    store.engine.close()
    #expect(try Data(contentsOf: folder.file()) == bytes)
    #expect(folder.names == ["made.sqlite", "store.sqlite"])
    #expect(try SQLiteStoreEngine.storedSchemaJSON(of: configuration) == SampleStore.schemaJSON)
  }

  @Test(
    "opening completes a restored store, regardless of its header",
    arguments: [
      [77, 99], [0, Int(StoreFormat.version)], [Int(StoreFormat.applicationIdentifier), 0],
      [Int(StoreFormat.unreleasedApplicationIdentifier), 3],
    ], ["DELETE", "WAL"])
  func headers(_ numbers: [Int], _ mode: String) throws {
    let folder = try TemporaryFolder()
    try reload(.copy, folder)
    try raw(folder).run("PRAGMA application_id = \(numbers[0])")
    try raw(folder).run("PRAGMA user_version = \(numbers[1])")
    try raw(folder).run("PRAGMA journal_mode = \(mode)")
    let store = try SampleStore(folder.configuration())
    #expect(try count(store) == 3)
    #expect(try raw(folder).header() == Self.complete)
  }

  @Test("a store records the version of the library that last opened it for saving")
  func writer() throws {
    let folder = try TemporaryFolder()
    try reload(.copy, folder)
    let query = "SELECT value FROM _osd_metadata WHERE key = 'writer'"
    try SampleStore(folder.configuration()).engine.close()
    for sql in [
      "UPDATE _osd_metadata SET value = 'Other 9.9' WHERE key = 'writer'",
      "DELETE FROM _osd_metadata WHERE key = 'writer'",
    ] {
      try raw(folder).run(sql)
      let before = try raw(folder).column(query)
      var configuration = folder.configuration()
      configuration.allowsSave = false
      try SampleStore(configuration).engine.close()
      #expect(try raw(folder).column(query) == before)
      try SampleStore(folder.configuration()).engine.close()
      #expect(try raw(folder).column(query) == [StoreFormat.writer])
    }
  }

  @Test("opening creates missing tables of the library")
  func missingTables() throws {
    let folder = try TemporaryFolder()
    try reload(.copy, folder)
    try raw(folder).run("DROP TABLE _osd_sequence")
    let store = try SampleStore(folder.configuration())
    try store.insert([["count": 4]])
    #expect(try raw(folder).column("SELECT _osd_key FROM Item ORDER BY 1") == ["1", "2", "3", "4"])
    #expect(try raw(folder).column("SELECT count(*) FROM sqlite_master WHERE name = '_osd_originals'") == ["0"])
  }

  @Test(
    "new rows get keys above all existing keys if the sequence is empty or too low",
    arguments: [
      "DELETE FROM _osd_sequence", "UPDATE _osd_sequence SET next = 2", "UPDATE _osd_sequence SET entity = 'other'",
    ])
  func sequence(_ sql: String) throws {
    let folder = try TemporaryFolder()
    try reload(.copy, folder)
    try raw(folder).run(sql)
    try raw(folder).run("UPDATE Item SET _osd_key = 40 WHERE _osd_key = 2")
    let store = try SampleStore(folder.configuration())
    for number in 4...5 { try store.insert([["count": .integer(Int64(number))]]) }
    #expect(try raw(folder).column("SELECT _osd_key FROM Item ORDER BY 1") == ["1", "3", "40", "41", "42"])
    #expect(try raw(folder).column("SELECT next FROM _osd_sequence WHERE entity = 'Item'") == ["43"])
  }

  @Test("a store is used unchanged while another process writes to it, and the next opening completes it")
  func busy() throws {
    let folder = try TemporaryFolder()
    try reload(.copy, folder)
    let process = try PythonProcess(PythonProcess.holdLock, arguments: [folder.file().path])
    let store = try SampleStore(folder.configuration(timeout: .milliseconds(50)))
    #expect(try count(store) == 3)
    store.engine.close()
    #expect(process.finish() == 0)
    #expect(try raw(folder).header() == ["0", "0", "delete"])
    try SampleStore(folder.configuration()).engine.close()
    #expect(try raw(folder).header() == Self.complete)
  }

  @Test("concurrent openings complete the store once, and each opening can save", arguments: 1...5)
  func openingAtOnce(round: Int) async throws {
    let folder = try TemporaryFolder()
    try reload(.copy, folder)
    let configuration = folder.configuration()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let store = try SampleStore(configuration)
          try store.insert([["count": .integer(Int64(number))]])
          store.engine.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(try raw(folder).header() == Self.complete)
    #expect(try raw(folder).column("SELECT count(*), max(_osd_key) FROM Item") == ["11"])
    #expect(try raw(folder).problems() == [])
  }

  @Test("opening a store whose text encoding is UTF-16 throws and changes nothing", arguments: [true, false])
  func utf16(_ allowsSave: Bool) throws {
    let folder = try TemporaryFolder()
    try makeStore(folder)
    let script = """
      import sqlite3, sys
      old = sqlite3.connect(sys.argv[1])
      new = sqlite3.connect(sys.argv[2])
      new.execute("PRAGMA encoding = 'UTF-16'")
      for name in ['_osd_metadata', '_osd_sequence']:
        new.execute(old.execute('SELECT sql FROM sqlite_master WHERE name = ?', [name]).fetchone()[0])
        new.executemany('INSERT INTO ' + name + ' VALUES (?, ?)', old.execute('SELECT * FROM ' + name).fetchall())
      new.commit()
      """
    let paths = [folder.file("made.sqlite").path, folder.file().path]
    #expect(try PythonProcess.run(script, arguments: paths) == 0)
    let bytes = try Data(contentsOf: folder.file())
    var configuration = folder.configuration()
    configuration.allowsSave = allowsSave
    let error = #expect(throws: SwiftDataError.storeFailure) { _ = try SampleStore(configuration) }
    #expect(error?.explanation?.contains("PRAGMA encoding = 'UTF-8'") == true)
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("a complete store is recognized by one statement, for saving and for reading", arguments: [true, false])
  func statements(_ allowsSave: Bool) throws {
    let folder = try TemporaryFolder()
    try makeStore(folder)
    var configuration = folder.configuration("made.sqlite")
    configuration.allowsSave = allowsSave
    let statements = try StatementLog.statements(onFile: configuration.path) {
      try SampleStore(configuration).engine.close()
    }
    #expect(statements == ["SELECT +key, +value FROM _osd_metadata", "PRAGMA cache_size = -65536"])
  }
}

import ConformanceSupport
import Foundation
import PersistenceCore
import SQLiteStore
import Testing

@Suite("Opening files with SQLite stores")
struct OpeningTests {
  private func openingError(_ configuration: SQLiteStoreConfiguration) -> SwiftDataError? {
    do {
      _ = try SampleStore(configuration)
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  /// Creates a store with 500 rows and closes it.
  private func makeStore(_ folder: TemporaryFolder) throws {
    let store = try SampleStore(folder.configuration())
    try store.insert((0..<500).map { ["name": .text("name \($0)"), "count": .integer($0)] })
    store.engine.close()
  }

  @Test(
    "opening a file that is not a database throws and changes nothing",
    arguments: [1, 5, 15, 16, 99, 100, 511, 512, 5_000, 100_000])
  func notADatabase(size: Int) throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: UInt64(size))
    let bytes = Data((0..<size).map { _ in UInt8.random(in: 1...255, using: &generator) })
    try bytes.write(to: folder.file())
    for allowsSave in [true, false] {
      var configuration = folder.configuration()
      configuration.allowsSave = allowsSave
      let error = openingError(configuration)
      #expect(error == .storeNotADatabase)
      #expect(error?.explanation?.contains(folder.file().path) == true)
    }
    #expect(try Data(contentsOf: folder.file()) == bytes)
    #expect(folder.names == ["store.sqlite"])
  }

  @Test("an empty file becomes a store")
  func emptyFile() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.file())
    let store = try SampleStore(folder.configuration())
    try store.insert([["count": 1]])
    #expect(try store.values(1)?[2] == 1)
  }

  @Test("opening a database of another program throws and changes nothing", arguments: ["DELETE", "WAL"])
  func foreignDatabase(mode: String) throws {
    let folder = try TemporaryFolder()
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1])
      c.execute('PRAGMA journal_mode=' + sys.argv[2])
      c.execute('CREATE TABLE t(a)')
      c.execute('INSERT INTO t VALUES (1)')
      c.commit()
      c.close()
      """
    #expect(try PythonProcess.run(script, arguments: [folder.file().path, mode]) == 0)
    let bytes = try Data(contentsOf: folder.file())
    #expect(openingError(folder.configuration()) == .storeOfAnotherProgram)
    #expect(try Data(contentsOf: folder.file()) == bytes)
    #expect(folder.names == ["store.sqlite"])
  }

  @Test("the write-ahead log of another program's database, which is not checkpointed, stays unchanged")
  func foreignLog() throws {
    let folder = try TemporaryFolder()
    let script = """
      import sqlite3, sys, os
      c = sqlite3.connect(sys.argv[1])
      c.execute('PRAGMA journal_mode=WAL')
      c.execute('CREATE TABLE t(a)')
      c.commit()
      print('done')
      sys.stdin.read()
      """
    let process = try PythonProcess(script, arguments: [folder.file().path])
    process.kill()
    let (bytes, log) = (try Data(contentsOf: folder.file()), try Data(contentsOf: folder.file("store.sqlite-wal")))
    #expect(!log.isEmpty)
    #expect(openingError(folder.configuration()) == .storeOfAnotherProgram)
    #expect(try Data(contentsOf: folder.file()) == bytes)
    #expect(try Data(contentsOf: folder.file("store.sqlite-wal")) == log)
  }

  @Test(
    "opening a store of a newer format throws and changes nothing, regardless of its header", arguments: ["1", "99"])
  func newerFormat(_ header: String) throws {
    let folder = try TemporaryFolder()
    try makeStore(folder)
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1])
      c.execute("UPDATE _osd_metadata SET value = '99' WHERE key = 'format'")
      c.commit()
      c.execute('PRAGMA user_version=' + sys.argv[2])
      c.close()
      """
    #expect(try PythonProcess.run(script, arguments: [folder.file().path, header]) == 0)
    let bytes = try Data(contentsOf: folder.file())
    #expect(openingError(folder.configuration()) == .backwardMigration)
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("a malformed header is reported as damage, and the file stays unchanged", arguments: [16, 18, 21, 46])
  func malformedHeader(offset: Int) throws {
    let folder = try TemporaryFolder()
    try makeStore(folder)
    var bytes = try Data(contentsOf: folder.file())
    bytes[offset] = 77
    bytes[offset + 1] = 77
    try bytes.write(to: folder.file())
    #expect(openingError(folder.configuration()) == .storeCorrupt)
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("damaged pages are reported when they are read, and the file stays unchanged")
  func damagedPages() throws {
    let folder = try TemporaryFolder()
    try makeStore(folder)
    var bytes = try Data(contentsOf: folder.file())
    for index in (6 * 4096)..<bytes.count { bytes[index] = 0xA5 }
    try bytes.write(to: folder.file())
    do {
      let store = try SampleStore(folder.configuration())
      let request = FetchRequest(entity: store.entities.item)
      #expect(throws: SwiftDataError.storeCorrupt) {
        try store.engine.fetch(request, in: nil) { _ = try $0.all(columns: 11) }
      }
      store.engine.close()
    } catch {
      #expect(error as? SwiftDataError == .storeCorrupt)
    }
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("a store without metadata is reported as damaged")
  func missingMetadata() throws {
    let folder = try TemporaryFolder()
    try makeStore(folder)
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute(sys.argv[2])
      c.close()
      """
    for sql in ["DELETE FROM _osd_metadata WHERE key = 'schema'", "DROP TABLE _osd_metadata"] {
      #expect(try PythonProcess.run(script, arguments: [folder.file().path, sql]) == 0)
      #expect(openingError(folder.configuration()) == .storeCorrupt)
    }
  }

  @Test("missing folders are created, unless saving is not allowed; if opening fails, they are deleted")
  func missingFolder() throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration("missing/store.sqlite")
    configuration.allowsSave = false
    let error = openingError(configuration)
    #expect(error == .storeUnreachable)
    #expect(error?.explanation?.contains(folder.file("missing").path) == true)
    // A file name of 300 characters is longer than file systems allow.
    let name = String(repeating: "x", count: 300)
    #expect(openingError(folder.configuration("missing/deeper/\(name)")) != nil)
    #expect(folder.names == [])
    #expect(openingError(folder.configuration("missing/deeper/store.sqlite")) == nil)
    #expect(folder.names == ["missing"])
  }

  @Test("opening a folder instead of a file throws")
  func folderAsFile() throws {
    let folder = try TemporaryFolder()
    #expect(
      openingError(SQLiteStoreConfiguration(location: .file(folder.url))) == .storeUnreachable)
  }

  @Test("opening a store read-only creates nothing")
  func missingFileWithoutSaving() throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration()
    configuration.allowsSave = false
    #expect(openingError(configuration) == .storeUnreachable)
    #expect(folder.names == [])
    try Data().write(to: folder.file())
    #expect(openingError(configuration) == .storeUnreachable)
    #expect(folder.names == ["store.sqlite"])
  }

  @Test("a store that is opened read-only can be read, and its transactions throw")
  func withoutSaving() throws {
    let folder = try TemporaryFolder()
    try makeStore(folder)
    let bytes = try Data(contentsOf: folder.file())
    var configuration = folder.configuration()
    configuration.allowsSave = false
    let store = try SampleStore(configuration)
    #expect(try store.engine.count(FetchRequest(entity: store.entities.item), in: nil) == 500)
    #expect(throws: SwiftDataError.storeReadOnly) { _ = try store.engine.beginTransaction() }
    #expect(store.engine.foreignChangeCount == 0)
    store.engine.close()
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("a store keeps its identifier and schema, and requires a migration if it is opened with another schema")
  func identity() throws {
    let folder = try TemporaryFolder()
    let first = try SampleStore(folder.configuration())
    #expect(UUID(uuidString: first.engine.identifier) != nil)
    let entities = SampleEntities()
    let asked = Lock<[String]>([])
    let second = try SQLiteStoreEngine(
      SQLiteStoreRequest(
        configuration: folder.configuration(), statementMemory: SQLiteDialect.statementMemory(of: entities.all),
        schemaJSON: "{}",
        migration: SQLiteMigrationRequest { stored in
          asked.withLock { $0.append(stored) }
          return nil
        }))
    #expect(asked.withLock { $0 } == [SampleStore.schemaJSON])
    #expect(second.storedSchemaJSON == SampleStore.schemaJSON)
    #expect(second.identifier == first.engine.identifier)
    #expect(throws: SwiftDataError.unknownSchema) {
      _ = try SQLiteStoreEngine(
        SQLiteStoreRequest(
          configuration: folder.configuration(), statementMemory: SQLiteDialect.statementMemory(of: entities.all),
          schemaJSON: "{}", migration: SQLiteMigrationRequest { _ in throw SwiftDataError.unknownSchema }))
    }
  }

  @Test("several threads that open a new file at once create only one store", arguments: 1...5)
  func openingAtOnce(round: Int) async throws {
    let folder = try TemporaryFolder()
    let configuration = folder.configuration()
    let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try SampleStore(configuration).engine.identifier } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(identifiers.count == 1)
  }

  @Test("a file name may have any characters", arguments: ["a b%20?#'\"&.db", "ünï🦆.db", "file:x?mode=memory"])
  func fileNames(name: String) throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore(folder.configuration(name))
    try store.insert([["count": 1]])
    store.engine.close()
    #expect(folder.names == [name])
  }

  @Test("closing a store leaves one file, and later calls on the store throw")
  func closing() throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore(folder.configuration())
    try store.insert([["count": 1]])
    let transaction = try store.engine.beginTransaction()
    store.engine.close()
    transaction.rollBack()
    #expect(folder.names == ["store.sqlite"])
    #expect(throws: SwiftDataError.storeUnreachable) { try store.values(1) }
    #expect(throws: SwiftDataError.storeUnreachable) { _ = try store.engine.beginTransaction() }
  }
}

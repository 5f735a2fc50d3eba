import CSQLite
import ConformanceSupport
import Foundation
import PersistenceCore
import SQLEngine
import Testing

@testable import SQLiteStore

/// Statements that change the metadata of a store to a format from before the first release.
private let unreleasedRows = [
  "UPDATE _osd_metadata SET value = '3' WHERE key = 'format'",
  "DELETE FROM _osd_metadata WHERE key IN ('unicode', 'writer')",
]
private let oldNumber = "PRAGMA application_id = 1330857009"

@Suite("Recognition of SQLite files as stores")
struct RecognitionTests {
  /// Opens the file for saving, for reading and for a migration plan. Returns the errors. The file must stay unchanged.
  private func refusals(_ folder: TemporaryFolder) throws -> [SwiftDataError] {
    let bytes = try Data(contentsOf: folder.file())
    let names = folder.names
    var reading = folder.configuration()
    reading.allowsSave = false
    let attempts: [() throws -> Void] = [
      { _ = try SampleStore(folder.configuration()) }, { _ = try SampleStore(reading) },
      { _ = try SQLiteStoreEngine.storedSchemaJSON(of: reading) },
    ]
    let errors = try attempts.map { attempt in try #require(#expect(throws: SwiftDataError.self) { try attempt() }) }
    #expect(try Data(contentsOf: folder.file()) == bytes)
    #expect(folder.names == names)
    return errors
  }

  private func makeStore(_ folder: TemporaryFolder, _ changes: [String]) throws {
    try SampleStore(folder.configuration()).engine.close()
    let database = try RawDatabase(folder.file().path)
    for sql in changes { try database.run(sql) }
    try database.run("PRAGMA journal_mode = DELETE")
  }

  @Test(
    "a store from before the first release throws a descriptive error, recognized by application ID or metadata",
    arguments: [
      unreleasedRows + [oldNumber, "PRAGMA user_version = 3"], unreleasedRows + ["PRAGMA application_id = 0"],
      unreleasedRows + [oldNumber, "DELETE FROM _osd_metadata WHERE key = 'format'"],
      [oldNumber, "DROP TABLE _osd_metadata"],
      [oldNumber, "DELETE FROM _osd_metadata WHERE key = 'schema'"],
    ])
  func unreleased(_ changes: [String]) throws {
    let folder = try TemporaryFolder()
    try makeStore(folder, changes)
    for error in try refusals(folder) {
      #expect(error == .storeOfAnotherProgram)
      let words = ["before its first release", "Export its content", "has not been changed", folder.file().path]
      #expect(words.allSatisfy { error.explanation?.contains($0) == true })
    }
  }

  @Test(
    "a store with incomplete metadata is damaged, even if its header is not that of a store",
    arguments: [
      "DELETE FROM _osd_metadata WHERE key = 'identifier'", "DELETE FROM _osd_metadata WHERE key = 'schema'",
      "DELETE FROM _osd_metadata WHERE key = 'format'", "UPDATE _osd_metadata SET value = '0' WHERE key = 'format'",
      "UPDATE _osd_metadata SET value = 'x' WHERE key = 'format'",
      "UPDATE _osd_metadata SET value = '17.x' WHERE key = 'unicode'",
    ], [true, false])
  func incomplete(_ change: String, _ hasHeader: Bool) throws {
    let folder = try TemporaryFolder()
    try makeStore(folder, [change] + (hasHeader ? [] : ["PRAGMA application_id = 0"]))
    for error in try refusals(folder) {
      #expect(error == .storeCorrupt && error.explanation?.contains("Restore it from a backup") == true)
    }
  }

  @Test(
    "a database with the library's application ID but without metadata is damaged",
    arguments: [
      "DROP TABLE _osd_metadata", "DELETE FROM _osd_metadata", "DELETE FROM _osd_metadata WHERE key = 'unicode'",
    ])
  func numberAlone(_ change: String) throws {
    let folder = try TemporaryFolder()
    try makeStore(folder, [change])
    #expect(try refusals(folder).allSatisfy { $0 == .storeCorrupt })
  }

  @Test("an empty database with the library's application ID is damaged")
  func emptyWithNumber() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.file())
    try RawDatabase(folder.file().path).run("PRAGMA application_id = \(StoreFormat.applicationIdentifier)")
    #expect(try refusals(folder).allSatisfy { $0 == .storeCorrupt })
  }

  @Test(
    "opening another program's database with a table named like one of the library's throws and changes nothing",
    arguments: [
      [
        "CREATE TABLE _osd_metadata (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO _osd_metadata VALUES (1, 'format')",
      ],
      ["CREATE TABLE _osd_metadata (key TEXT, value TEXT)"],
      [
        "CREATE TABLE _osd_metadata (key TEXT, value TEXT)",
        "INSERT INTO _osd_metadata VALUES ('version', '1'), (NULL, NULL)",
      ],
      ["CREATE TABLE _osd_metadata (key BLOB, value BLOB)", "INSERT INTO _osd_metadata VALUES (x'00ff', x'ff')"],
      ["CREATE VIEW _osd_metadata AS SELECT 1 AS key, 2 AS value"],
      ["CREATE VIEW _osd_metadata AS SELECT * FROM missing"], ["CREATE TABLE _osd_sequence (entity, next)"],
    ])
  func foreign(_ statements: [String]) throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.file())
    let database = try RawDatabase(folder.file().path)
    for sql in statements { try database.run(sql) }
    for error in try refusals(folder) {
      #expect(error == .storeOfAnotherProgram && error.explanation?.contains("another program") == true)
    }
  }

  /// Creates the store in the middle of its recognition: when SQLite compiles a statement and asks the connection's
  /// authorizer about the given action.
  private final class Meddler {
    let action: Int32
    let subject: String
    let make: () -> Void
    private var isDone = false

    init(_ action: Int32, _ subject: String, _ make: @escaping () -> Void) {
      (self.action, self.subject, self.make) = (action, subject, make)
    }

    func hear(_ action: Int32, _ subject: String) {
      guard !isDone, action == self.action, subject == self.subject else { return }
      isDone = true
      make()
    }
  }

  @Test(
    "while another process creates a store, it is found or not found, and never reported as damaged",
    arguments: [(SQLITE_PRAGMA, "application_id"), (SQLITE_READ, "sqlite_master")], [true, false])
  func madeMeanwhile(_ step: (Int32, String), _ hasLog: Bool) throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.file())
    if hasLog { try RawDatabase(folder.file().path).run("PRAGMA journal_mode = WAL") }
    let handle = try SQLiteHandle(
      opening: folder.file().path, flags: SQLITE_OPEN_READWRITE, path: folder.file().path)
    var isMade = false
    let meddler = Meddler(step.0, step.1) {
      isMade = (try? SampleStore(folder.configuration(timeout: .zero)).engine.close()) != nil
    }
    sqlite3_set_authorizer(
      handle.pointer,
      { meddler, action, subject, _, _, _ in
        guard let meddler, let subject else { return SQLITE_OK }
        Unmanaged<Meddler>.fromOpaque(meddler).takeUnretainedValue().hear(action, String(cString: subject))
        return SQLITE_OK
      }, Unmanaged.passUnretained(meddler).toOpaque())
    let recognition = try StoreRecognition(of: handle)
    sqlite3_set_authorizer(handle.pointer, nil, nil)
    withExtendedLifetime(meddler) {}
    if case .store = recognition { #expect(isMade) }
    // While a reader has an empty file without a write-ahead log open, no other process can create a store in it.
    #expect(isMade || step.0 == SQLITE_READ && !hasLog)
  }

  @Test("the application ID of a store is ASCII, and differs from that of the unreleased format")
  func number() {
    let bytes = withUnsafeBytes(of: UInt32(StoreFormat.applicationIdentifier).bigEndian) { Array($0) }
    #expect(String(decoding: bytes, as: UTF8.self) == "OSwD")
    #expect(StoreFormat.applicationIdentifier != StoreFormat.unreleasedApplicationIdentifier)
  }

  @Test("versions of Unicode are parsed, compared and written")
  func versions() throws {
    let texts = ["9", "15", "15.1", "16", "17"]
    let versions = try texts.map { try #require(UnicodeVersion($0)) }
    #expect(versions.map(\.description) == texts && versions == versions.sorted())
    #expect(UnicodeVersion("15.0") == UnicodeVersion(15))
    #expect(
      ["", ".", "15.", ".1", "1.2.3", "-1", "+1", "x", "1e3", "99999999999999999999"].allSatisfy {
        UnicodeVersion($0) == nil
      })
    #expect(UnicodeVersion.current >= UnicodeVersion(15))
    #expect(UnicodeVersion(15, 1).isOlder(than: "a\u{105C9}") && !UnicodeVersion(16).isOlder(than: "a\u{105C9}"))
    #expect(!UnicodeVersion(1).isOlder(than: "plain \u{E9}") && UnicodeVersion(1).isOlder(than: "\u{10400}"))
  }
}

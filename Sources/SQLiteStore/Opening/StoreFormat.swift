import Foundation
import SQLEngine

/// What tells a store of ours from any other database, and what it says about itself.
enum StoreFormat {
  /// "OSD1" in ASCII, in the place where SQLite keeps an application's number.
  static let applicationIdentifier: Int64 = 0x4F53_4431
  /// Grows when the tables of a store are laid out in a way that older code cannot read.
  static let version: Int64 = 1
  static let metadataTable = "_osd_metadata"
  static let sequenceTable = "_osd_sequence"

  /// The statements that make a store of an empty database, to be run in one transaction.
  static func creation(of database: DatabaseMapping) -> [String] {
    let own = [
      "CREATE TABLE \(metadataTable) (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID",
      "CREATE TABLE \(sequenceTable) (entity TEXT PRIMARY KEY NOT NULL, next INTEGER NOT NULL) WITHOUT ROWID",
    ]
    let marks = ["PRAGMA application_id = \(applicationIdentifier)", "PRAGMA user_version = \(version)"]
    return own + SchemaDefinition(dialect: SQLiteDialect()).statements(for: database) + marks
  }
}

/// What a store says about itself.
struct StoreMetadata: Sendable, Hashable {
  private enum Key {
    static let identifier = "identifier"
    static let schema = "schema"
  }

  /// Stays with the file for its life.
  let identifier: String
  let schemaJSON: String

  init(schemaJSON: String) {
    self.identifier = UUID().uuidString
    self.schemaJSON = schemaJSON
  }

  /// Reads what a store says, nil when something is missing.
  init?(from handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement("SELECT key, value FROM \(StoreFormat.metadataTable)", on: handle)
    var values: [String: String] = [:]
    while try statement.step() { values[statement.text(0) ?? ""] = statement.text(1) }
    guard let identifier = values[Key.identifier], let schemaJSON = values[Key.schema] else { return nil }
    self.identifier = identifier
    self.schemaJSON = schemaJSON
  }

  func write(to handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement("INSERT INTO \(StoreFormat.metadataTable) VALUES (?1, ?2)", on: handle)
    for (key, value) in [(Key.identifier, identifier), (Key.schema, schemaJSON)] {
      try statement.bind(key, at: 1)
      try statement.bind(value, at: 2)
      try statement.run()
    }
  }
}

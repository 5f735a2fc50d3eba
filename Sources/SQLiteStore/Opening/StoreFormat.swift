import PersistenceSupport
import SQLEngine

/// How a store is laid out, and the names of what is in it besides the models' tables.
///
/// Everything of ours begins with `_osd_`. `docs/the-file.md` describes it for other programs.
enum StoreFormat {
  /// The number of the layout of tables, from the first release on. It grows when tables are laid out in another way.
  ///
  /// 1: the first.
  static let version: Int64 = 1
  /// "OSwD" in ASCII, in the place where SQLite keeps an application's number, for programs such as `file`.
  ///
  /// It has no digit, since the format has a place of its own, the user version. A store is a store without either: a
  /// dump has neither.
  static let applicationIdentifier: Int64 = 0x4F53_7744
  /// "OSD1": stores in forms from before the first release.
  static let unreleasedApplicationIdentifier: Int64 = 0x4F53_4431
  /// The library that last wrote a store, as noted there: its name, and its version when there is one.
  static let writer = "OpenSwiftData"

  static let metadataTable = "_osd_metadata"
  static let sequenceTable = "_osd_sequence"

  /// The statements that make a store of an empty database, to be run in one transaction.
  static func creation(of database: DatabaseMapping) -> [String] {
    let tables = SchemaDefinition(dialect: SQLiteDialect()).statements(for: database)
    return ownTables() + tables + ExternalTables.statements(for: database) + marks
  }

  /// The statements that make the tables that every store has.
  ///
  /// SQLite reads them whenever the store is opened, and has less to do for tables with row numbers than for those without;
  /// a schema's description would also not fit into a page of these. So a store gets the table of originals with the first.
  static func ownTables(ifMissing: Bool = false) -> [String] {
    let creation = ifMissing ? "CREATE TABLE IF NOT EXISTS" : "CREATE TABLE"
    return [
      "\(creation) \(metadataTable) (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)",
      "\(creation) \(sequenceTable) (entity TEXT PRIMARY KEY NOT NULL, next INTEGER NOT NULL)",
    ]
  }

  /// The statements that put the numbers into the header of the file.
  static let marks = ["PRAGMA application_id = \(applicationIdentifier)", "PRAGMA user_version = \(version)"]
}

extension StoreFormat {
  static func newerError(_ path: String, _ version: Int64) -> SwiftDataError {
    SwiftDataError(
      .backwardMigration,
      "The store at \(path) has format \(version), and this version knows formats up to \(self.version). "
        + "Update the program; the file has not been changed.")
  }

  static func unreleasedError(_ path: String) -> SwiftDataError {
    SwiftDataError(
      .storeOfAnotherProgram,
      "The store at \(path) was written by a version of this library from before its first release, in a form that no "
        + "released version writes or reads. Export its content with the version that wrote it, and import that into a "
        + "new store; the file has not been changed.")
  }
}

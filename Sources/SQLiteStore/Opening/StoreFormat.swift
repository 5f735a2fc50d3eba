import PersistenceSupport
import SQLEngine

/// The layout of a store, and the names of its tables other than those of models.
///
/// All names of the library begin with `_osd_`. `docs/the-file.md` describes the layout for other programs.
enum StoreFormat {
  /// The version of the table layout, from the first release on. It increases with each change of the layout.
  ///
  /// 1: the first version.
  static let version: Int64 = 1
  /// "OSwD" in ASCII, as the application ID in the SQLite header, for programs such as `file`.
  ///
  /// The ID contains no version, since the header has a separate user version. A database without both numbers may
  /// still be a store that was restored from a dump, because dumps contain neither.
  static let applicationIdentifier: Int64 = 0x4F53_7744
  /// "OSD1": the application ID of stores with layouts from before the first release.
  static let unreleasedApplicationIdentifier: Int64 = 0x4F53_4431
  /// The library that last wrote a store, as recorded in the store: its name, and its version if it has one.
  static let writer = "OpenSwiftData"

  static let metadataTable = "_osd_metadata"
  static let sequenceTable = "_osd_sequence"

  /// The statements that turn an empty database into a store, to be run in one transaction.
  static func creation(of database: DatabaseMapping) -> [String] {
    let tables = SchemaDefinition(dialect: SQLiteDialect()).statements(for: database)
    return ownTables() + tables + ExternalTables.statements(for: database) + marks
  }

  /// The statements that create the tables that every store has.
  ///
  /// SQLite parses their definitions whenever the store is opened. This would take longer for WITHOUT ROWID tables, and
  /// the schema JSON would not fit on one page of such a table. The table of originals is created together with the
  /// first original.
  static func ownTables(ifMissing: Bool = false) -> [String] {
    let creation = ifMissing ? "CREATE TABLE IF NOT EXISTS" : "CREATE TABLE"
    return [
      "\(creation) \(metadataTable) (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)",
      "\(creation) \(sequenceTable) (entity TEXT PRIMARY KEY NOT NULL, next INTEGER NOT NULL)",
    ]
  }

  /// The statements that set the numbers in the file header.
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

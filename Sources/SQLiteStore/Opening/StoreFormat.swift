import PersistenceSupport
import SQLEngine

/// What tells a store of ours from any other database, and what it says about itself.
enum StoreFormat {
  /// "OSD1" in ASCII, in the place where SQLite keeps an application's number.
  static let applicationIdentifier: Int64 = 0x4F53_4431
  /// Grows when the tables of a store are laid out in another way.
  ///
  /// 1: the first. 2: texts in indexes have the order of Swift's texts, and decimals have not-a-number first.
  /// 3: values that a rule of a superclass names are in the rows of subclasses, and not in files.
  /// ``StoreUpgrade`` leads from each to the next.
  static let version: Int64 = 3
  static let metadataTable = "_osd_metadata"
  static let sequenceTable = "_osd_sequence"

  /// The statements that make a store of an empty database, to be run in one transaction.
  ///
  /// SQLite reads them whenever the store is opened, and has less to do for tables with row numbers than for those without,
  /// which older stores have; a schema's description would also not fit into a page of these.
  static func creation(of database: DatabaseMapping) -> [String] {
    let own = [
      "CREATE TABLE \(metadataTable) (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)",
      "CREATE TABLE \(sequenceTable) (entity TEXT PRIMARY KEY NOT NULL, next INTEGER NOT NULL)",
      OriginalsTable.creation,
    ]
    let marks = ["PRAGMA application_id = \(applicationIdentifier)", "PRAGMA user_version = \(version)"]
    let tables = SchemaDefinition(dialect: SQLiteDialect()).statements(for: database)
    return own + tables + ExternalTables.statements(for: database) + marks
  }
}

extension StoreFormat {
  static func version(of handle: SQLiteHandle) throws -> Int64 {
    try handle.number("PRAGMA user_version") ?? 0
  }

  static func newerError(_ path: String, _ version: Int64) -> SwiftDataError {
    SwiftDataError(
      .backwardMigration,
      "The store at \(path) has format \(version), and this version knows formats up to \(self.version). "
        + "Update the program; the file has not been changed.")
  }
}

import CSQLite
import PersistenceSupport
import SQLEngine

/// The table of originals in a SQLite file.
enum OriginalsTable {
  static let statements = OriginalStatements(dialect: SQLiteDialect())
  static let nextTable = statements.nextTable
  static let lookUp = statements.lookUp
  static let keys = statements.keys
  static let store = statements.store

  /// The statement that makes the table, if it is not there.
  ///
  /// An original has no declared type: it is a text, or the bytes of one with U+0000, at which other programs end a text.
  static let creation = """
    CREATE TABLE IF NOT EXISTS \(OriginalStatements.tableName) ("table" TEXT NOT NULL, key INTEGER NOT NULL, \
    "column" TEXT NOT NULL, original NOT NULL, PRIMARY KEY ("table", key, "column")) WITHOUT ROWID
    """

  /// Whether a statement failed because the table is not there, which another program may have dropped.
  static func isMissing(_ error: any Error) -> Bool {
    let cause = (error as? SwiftDataError)?.underlyingError as? SQLiteError
    return cause?.primaryCode == SQLITE_ERROR
      && cause?.message.hasSuffix("no such table: \(OriginalStatements.tableName)") == true
  }
}

/// Which tables have originals, as the connection saw the file last.
struct KnownOriginals {
  /// The ``SQLiteHandle/dataVersion`` at which the tables were listed; nil if that has to be done again.
  var version: UInt32?
  /// May have too many tables, and not too few.
  var tables: Set<String> = []
}

extension SQLiteConnection {
  /// The tables with originals in the snapshot of the caller's open statement or transaction.
  ///
  /// Only a snapshot that is new to the connection is asked. What the connection itself writes is noted.
  func tablesWithOriginals() throws -> Set<String> {
    if handle.originals.version != handle.dataVersion { try listTablesWithOriginals() }
    return handle.originals.tables
  }

  private func listTablesWithOriginals() throws {
    var known = KnownOriginals(version: handle.dataVersion)
    do {
      try withStatement(OriginalsTable.nextTable) { statement in
        var last = ""
        while true {
          try statement.bind(last, at: 1)
          guard try statement.step(), let name = statement.text(0) else { break }
          known.tables.insert(name)
          last = name
          sqlite3_reset(statement.pointer)
        }
      }
    } catch  where OriginalsTable.isMissing(error) {
      known.tables = []
    }
    handle.originals = known
  }
}

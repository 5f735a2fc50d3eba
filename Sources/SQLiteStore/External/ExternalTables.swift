import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// The tables and triggers that a store with external files has in addition to the entities' tables.
enum ExternalTables {
  /// The table that lists the references of deleted values until the files of these values are removed.
  static let superfluous = "_osd_superfluous_files"
  /// The entry in the sequence table for the next file number. No entity can have this name.
  static let sequence = "external files"

  /// The statements that create the tables and triggers; none if no entity has external values.
  ///
  /// Triggers list the reference of each changed or deleted value for removal, even if another program made the change.
  ///
  /// - Parameter hasTable: Whether the store already has the table.
  static func statements(for database: DatabaseMapping, hasTable: Bool = false) -> [String] {
    let all = database.tables.filter { !$0.isShared }.flatMap { table in
      columns(of: table).enumerated().flatMap { triggers(on: $1, of: table, number: $0) }
    }
    guard !all.isEmpty else { return [] }
    return (hasTable ? [] : [table()]) + all
  }

  /// The statement that creates the table of external files to be removed. Each row is the reference to one file.
  static func table(ifMissing: Bool = false) -> String {
    "CREATE TABLE \(ifMissing ? "IF NOT EXISTS " : "")\(superfluous) (reference TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID"
  }

  /// The statements that drop the triggers, before tables change.
  static func removal(from database: DatabaseMapping) -> [String] {
    database.tables.filter { !$0.isShared }.flatMap { table in
      columns(of: table).indices.flatMap { number in
        ["delete", "update"].map { "DROP TRIGGER \(triggerName($0, number, table))" }
      }
    }
  }

  private static func triggerName(_ event: String, _ number: Int, _ table: TableMapping) -> String {
    SQLiteDialect().quoted("_osd_\(event)_\(number)_\(table.name)")
  }

  /// The columns of a table that may contain references to external files.
  static func columns(of table: TableMapping) -> [ColumnMapping] {
    table.declaredProperties.filter { $0.property.outOfRowValue?.isExternal == true }.flatMap {
      $0.table.columns(of: $0.property.position)
    }
  }

  private static func triggers(on column: ColumnMapping, of table: TableMapping, number: Int) -> [String] {
    let dialect = SQLiteDialect()
    let (tableName, columnName) = (dialect.quoted(table.name), dialect.quoted(column.name))
    let hadFile = dialect.isExternalReference("OLD.\(columnName)")
    let action = "BEGIN INSERT OR IGNORE INTO \(superfluous) VALUES (OLD.\(columnName)); END"
    func name(_ event: String) -> String { triggerName(event, number, table) }
    return [
      "CREATE TRIGGER \(name("delete")) AFTER DELETE ON \(tableName) WHEN \(hadFile) \(action)",
      "CREATE TRIGGER \(name("update")) AFTER UPDATE OF \(columnName) ON \(tableName) "
        + "WHEN \(hadFile) AND OLD.\(columnName) IS NOT NEW.\(columnName) \(action)",
    ]
  }
}

extension SQLiteConnection {
  /// The number of the next file, from the sequence table. No file of the store has or had this number.
  ///
  /// - Throws: `SwiftDataError.storeCorrupt` if the number is not positive. If it were replaced, the files of all rows
  ///   would be treated as leftovers of a killed process and removed.
  func nextExternalNumber() throws -> Int64 { try notedExternalNumber() ?? 1 }

  /// The same number as ``nextExternalNumber()``; nil if no number is stored.
  func notedExternalNumber() throws -> Int64? {
    guard let number = try nextNumber(of: ExternalTables.sequence) else { return nil }
    guard number < 1 else { return number }
    throw SwiftDataError(
      .storeCorrupt,
      "The store at \(handle.path) says that its next file of a large value is \(number), and they are numbered from 1 on. "
        + "Restore it from a backup; nothing has been changed.")
  }

  func setNextExternalNumber(_ number: Int64) throws {
    try setNextNumber(number, of: ExternalTables.sequence)
  }

  /// The references on the removal list. Normally, no row contains them any more, and their files can be removed.
  func superfluousFiles() throws -> [ExternalReference] {
    try withStatement("SELECT reference FROM \(ExternalTables.superfluous)") { statement in
      var references: [ExternalReference] = []
      while try statement.step() {
        if let reference = statement.text(0).flatMap(ExternalReference.init) { references.append(reference) }
      }
      return references
    }
  }

  /// The references that are listed for removal at the end of a transaction whose new files start at `first`.
  ///
  /// Another program may write a reference to a file that does not exist yet. When the row changes, a trigger lists the
  /// reference. If a row now contains the reference of a new file, the reference is deleted from the list. Rows are
  /// only scanned if a new file is listed.
  func superfluousFiles(withNewFrom first: Int64, of database: DatabaseMapping? = nil) throws -> [ExternalReference] {
    let listed = try superfluousFiles()
    guard listed.contains(where: { $0.number >= first }) else { return listed }
    let living = try ExternalReferences(self, database: database).numbers(from: first)
    let sql = "DELETE FROM \(ExternalTables.superfluous) WHERE CAST(reference AS INTEGER) = ?1"
    for reference in listed where living.contains(reference.number) {
      try withStatement(sql) { statement in
        try statement.bind(reference.number, at: 1)
        try statement.run()
      }
    }
    return listed.filter { !living.contains($0.number) }
  }

  func forgetSuperfluousFiles() throws {
    try run("DELETE FROM \(ExternalTables.superfluous)")
  }
}

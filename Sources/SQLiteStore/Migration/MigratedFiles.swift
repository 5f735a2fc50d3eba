import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// The files of a store's external values during a migration.
///
/// New files get unused numbers. A migration that is rolled back removes its new files. If the process is killed, the
/// next transaction of any process removes them. After the commit, files that no row references are removed.
final class MigratedFiles {
  let folder: ExternalFolder
  private let connection: SQLiteConnection
  /// Whether the store has the table of files to be removed.
  private(set) var hasTable: Bool
  private let first: Int64
  private var hasWritten = false

  /// Call this right after the connection has begun its transaction.
  ///
  /// - Parameter database: The tables before the migration.
  init(_ connection: SQLiteConnection, database: () throws -> DatabaseMapping) throws {
    self.connection = connection
    folder = ExternalFolder(storePath: connection.handle.filePath)
    hasTable = try connection.handle.hasTable(ExternalTables.superfluous)
    let noted = try connection.nextExternalNumber()
    guard hasTable, folder.greatestNumber >= noted else {
      first = noted
      return
    }
    // A killed process left files behind, or another program restored the store without its sequence table.
    first = try max(noted, ExternalReferences(connection, database: database()).nextNumber())
    if first > noted { try connection.setNextExternalNumber(first) }
  }

  func didAddTables(for database: DatabaseMapping) {
    if database.tables.contains(where: \.entity.hasExternal) { hasTable = true }
  }

  // MARK: Values

  /// Lists the files of the values that the migration deletes from a column, so that these files are removed.
  func leave(_ lost: DatabaseMigration.LostValues) throws {
    guard hasTable else { return }
    let dialect = SQLiteDialect()
    let column = dialect.quoted(lost.column)
    let tests = [dialect.isExternalReference(column), lost.test].compactMap { $0 }.joined(separator: " AND ")
    try connection.handle.execute(
      "INSERT OR IGNORE INTO \(ExternalTables.superfluous) "
        + "SELECT \(column) FROM \(dialect.quoted(lost.table)) WHERE \(tests)")
  }

  /// Reads a referenced file, and lists it for removal. The caller replaces the reference in the row.
  func take(_ reference: String) throws -> Data {
    do {
      let bytes = try folder.bytes(of: reference)
      try connection.withStatement("INSERT OR IGNORE INTO \(ExternalTables.superfluous) VALUES (?1)") { statement in
        try statement.bind(reference, at: 1)
        try statement.run()
      }
      return bytes
    } catch let error as UnreadableExternalValue {
      throw SwiftDataError(.corruptValue, error.reason, underlying: error)
    }
  }

  /// Writes a value to a new file, and returns the reference to store in the row.
  func keep(_ bytes: Data) throws -> String {
    let number = try connection.nextExternalNumber()
    try bytes.withUnsafeBytes { try folder.write($0, as: number) }
    try connection.setNextExternalNumber(number + 1)
    hasWritten = true
    return ExternalReference(number: number, count: bytes.count).text
  }

  /// Flushes the folder, so that the names of new files are durable.
  func sync() throws {
    if hasWritten { try folder.sync() }
    hasWritten = false
  }

  // MARK: The end

  /// The files to be removed after the commit.
  ///
  /// - Parameter database: The tables after the migration.
  func superfluous(of database: DatabaseMapping) throws -> [ExternalReference] {
    hasTable ? try connection.superfluousFiles(withNewFrom: first, of: database) : []
  }

  func didCommit(_ superfluous: [ExternalReference]) {
    guard !superfluous.isEmpty, osd_sqlite_sync_log(connection.handle.pointer) == SQLITE_OK else { return }
    for reference in superfluous { folder.remove(reference) }
  }

  /// Removes the files that the migration wrote. Call this while the migration still holds the write lock.
  func undo() {
    var end = (try? connection.nextExternalNumber()) ?? first
    while folder.contains(end) { end += 1 }
    while end > first {
      end -= 1
      folder.remove(end)
    }
  }
}

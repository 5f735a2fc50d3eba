import PersistenceRuntime
import PersistenceSupport
import SQLEngine

extension SQLiteStoreEngine {
  /// The folder for values that are too large for rows; nil if the store has no such values.
  ///
  /// - Parameter mayHaveFiles: Whether an earlier schema had external values.
  static func externalFolder(
    of connection: SQLiteConnection, isInMemory: Bool, mayHaveFiles: Bool = false
  ) -> ExternalFolder? {
    guard !isInMemory, mayHaveFiles || connection.database.tables.contains(where: \.entity.hasExternal) else {
      return nil
    }
    return ExternalFolder(storePath: connection.handle.filePath)
  }

  /// Removes the files that a killed process left behind.
  ///
  /// Does nothing if another process has the write lock, because every transaction removes such files when it begins.
  func removeLeftFiles() throws {
    guard let externalFolder, allowsSave, try hasLeftFiles(in: externalFolder) else { return }
    let connection = try pool.takeWriter()
    defer { pool.giveBackWriter() }
    connection.handle.setBusyTimeout(milliseconds: 0)
    defer { connection.handle.setBusyTimeout(milliseconds: configuration.busyTimeoutMilliseconds) }
    do {
      try connection.run("BEGIN IMMEDIATE")
      _ = try ExternalTransaction(folder: externalFolder, connection: connection)
      try connection.run("COMMIT")
    } catch let error as SwiftDataError where error.kind == .storeBusy {
      if connection.handle.isInTransaction { try? connection.run("ROLLBACK") }
    } catch {
      if connection.handle.isInTransaction { try? connection.run("ROLLBACK") }
      throw error
    }
  }

  /// Whether there may be files of a killed process. Files that are found may also belong to an open transaction.
  private func hasLeftFiles(in folder: ExternalFolder) throws -> Bool {
    let connection = try pool.takeReader()
    defer { pool.giveBackReader(connection) }
    // If the number is invalid, the store can still be read. The next transaction throws an error for the number.
    let number = try connection.nextNumber(of: ExternalTables.sequence) ?? 1
    guard number > 0 else { return false }
    if folder.contains(number) { return true }
    return try connection.superfluousFiles().contains { folder.contains($0.number) }
  }
}

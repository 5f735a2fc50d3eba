import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// A backup whose content was checked completely. The file is opened read-only.
struct RestorableBackup {
  let handle: SQLiteHandle
  let folder: ExternalFolder
  /// The columns that may contain references to external files.
  let externalColumns: [(table: String, column: String)]
  /// Queries that select the references to external files.
  let externalReferences: [String]

  /// Opens a backup and checks all of it.
  ///
  /// - Throws: `CancellationError`, or `SwiftDataError` with the reason why it cannot be restored.
  init(_ path: String, _ work: StoreWork) throws {
    try StoreFile(path: path).check(allowsSave: false)
    var configuration = SQLiteStoreConfiguration(location: .file(path: path), allowsSave: false)
    configuration.busyTimeout = .seconds(5)
    var opening = ConnectionOpening(
      configuration: configuration, statementMemory: SQLiteDialect.statementMemory(of: []))
    let handle = try Self.open(&opening)
    try opening.prepare(handle)
    // All reads use one snapshot, because another program may be saving to the backup's file.
    try handle.execute("BEGIN")
    try handle.working(on: work) { try Self.requireWhole(handle) }
    let metadata = try Self.metadata(of: handle)
    self.handle = handle
    folder = ExternalFolder(storePath: handle.filePath)
    let stored = try MigrationSchema(storedJSON: metadata.schemaJSON, path: path)
    let database = SQLiteDialect.mapping(of: stored.layouts)
    externalColumns = database.externalColumns
    externalReferences = database.externalReferences
  }

  /// Opens the file. If its folder is not writable, opens the file as immutable: see ``StoreOpener``.
  private static func open(_ opening: inout ConnectionOpening) throws -> SQLiteHandle {
    do {
      return try recognised(opening)
    } catch let error as SwiftDataError where !opening.isImmutable && error.kind != .storeOfAnotherProgram {
      let file = StoreFile(path: opening.path)
      guard file.mayBeImmutable else { throw error }
      opening.isImmutable = true
      return try recognised(opening)
    }
  }

  private static func recognised(_ opening: ConnectionOpening) throws -> SQLiteHandle {
    let handle = try opening.openHandle(mayCreate: false)
    _ = try metadata(of: handle)
    return handle
  }

  private static func metadata(of handle: SQLiteHandle) throws -> StoreMetadata {
    guard let metadata = try StoreMetadata(from: handle) else {
      throw SwiftDataError(
        .storeOfAnotherProgram, "The database at \(handle.path) is no store of SwiftData. Give the file of a backup.")
    }
    guard metadata.format <= StoreFormat.version else { throw StoreFormat.newerError(handle.path, metadata.format) }
    return metadata
  }

  private static func requireWhole(_ handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement("PRAGMA quick_check(1)", on: handle)
    guard try statement.step(), let word = statement.text(0), word != "ok" else { return }
    throw SwiftDataError(
      .storeCorrupt,
      "The backup at \(handle.path) is damaged (\(word)) and was not restored. Take an older one, or have sqlite3 make a "
        + "new file of what can be read (.recover), and restore that.")
  }
}

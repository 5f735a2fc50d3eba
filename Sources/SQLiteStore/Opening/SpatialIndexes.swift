import PersistenceSupport
import SQLEngine

/// Ensures that a store has the spatial indexes of its schema.
///
/// A store that was created by a SQLite without R-trees has plain indexes instead.
struct SpatialIndexes {
  private let handle: SQLiteHandle
  private let dialect = SQLiteDialect()

  init(_ handle: SQLiteHandle) {
    self.handle = handle
  }

  /// The tables and statements. They include spatial indexes if all of these exist or can be created now.
  func usable(in opening: ConnectionOpening) throws -> StatementMemory {
    let memory = opening.statementMemory
    guard try !missing(in: memory.database).isEmpty else { return memory }
    guard opening.configuration.allowsSave else { return memory.withoutSpatialIndexes() }
    do {
      try handle.execute("BEGIN IMMEDIATE")
      // Another process may have created the indexes in the meantime.
      try makeMissing(in: memory.database)
      try handle.execute("COMMIT")
    } catch {
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
      // The store works without the indexes, and a later opening creates them.
      guard let kind = (error as? SwiftDataError)?.kind, Self.passing.contains(kind) else { throw error }
      return memory.withoutSpatialIndexes()
    }
    return memory
  }

  /// Errors that may not recur at the next opening: a full disk, or another process with a long write transaction.
  private static let passing: Set<SwiftDataError.Kind> = [.storeFull, .storeBusy]

  /// Creates the missing indexes in the open transaction.
  func makeMissing(in database: DatabaseMapping) throws {
    let others = Set(database.tables.flatMap(\.indexes).map(\.name))
    for index in try missing(in: database) {
      if !others.contains(index.plainName) {
        try handle.execute("DROP INDEX IF EXISTS \(dialect.quoted(index.plainName))")
      }
      for sql in dialect.spatialIndex(index) { try handle.execute(sql) }
      try handle.execute(dialect.contents(of: index))
    }
  }

  /// - Throws: `SwiftDataError.storeFailure` if a store with spatial indexes is opened for saving: a SQLite without
  ///   R-trees cannot update them.
  func requireNone(_ configuration: SQLiteStoreConfiguration) throws {
    let prefix = "\(DatabaseMapping.ownPrefix)rtree_"
    let isThere = try names().contains { $0.hasPrefix(prefix) }
    guard isThere, configuration.allowsSave else { return }
    throw SwiftDataError(
      .storeFailure,
      "The store at \(configuration.path) has R-trees (#Index with .rtree), and SQLite was built without them here, so that "
        + "it could not be written to. Use a SQLite that was built with SQLITE_ENABLE_RTREE, or open the store with "
        + "allowsSave: false.")
  }

  private func missing(in database: DatabaseMapping) throws -> [SpatialIndexMapping] {
    let known = Set(try names())
    return database.tables.flatMap(\.spatialIndexes).filter { !known.contains($0.name) }
  }

  /// The names of all virtual tables.
  private func names() throws -> [String] {
    let statement = try SQLiteStatement(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0", on: handle)
    var names: [String] = []
    while try statement.step() { if let name = statement.text(0) { names.append(name) } }
    return names
  }
}

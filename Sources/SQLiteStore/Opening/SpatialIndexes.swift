import PersistenceSupport
import SQLEngine

/// Sees to it that a store has the indexes over points that its schema asks for.
///
/// It may not: a SQLite that cannot make them made it, with plain ones in their place.
struct SpatialIndexes {
  private let handle: SQLiteHandle
  private let dialect = SQLiteDialect()

  init(_ handle: SQLiteHandle) {
    self.handle = handle
  }

  /// The tables of a store with its indexes over points. Missing ones are made if that is possible.
  func usable(in opening: ConnectionOpening) throws -> StatementMemory {
    let memory = opening.statementMemory
    guard try !missing(in: memory.database).isEmpty else { return memory }
    guard opening.configuration.allowsSave else { return memory.withoutSpatialIndexes() }
    do {
      try handle.execute("BEGIN IMMEDIATE")
      // Another process may have made them meanwhile.
      try makeMissing(in: memory.database)
      try handle.execute("COMMIT")
    } catch {
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
      // The store can be used without them, and a later opening makes them.
      guard let kind = (error as? SwiftDataError)?.kind, Self.passing.contains(kind) else { throw error }
      return memory.withoutSpatialIndexes()
    }
    return memory
  }

  /// What may be over when the store is opened again: a full disk, and another process that writes for long.
  private static let passing: Set<SwiftDataError.Kind> = [.storeFull, .storeBusy]

  /// Makes what is missing, in the transaction that is open.
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

  /// - Throws: `SwiftDataError.storeFailure` when the store has such indexes, which this SQLite could not keep in step.
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

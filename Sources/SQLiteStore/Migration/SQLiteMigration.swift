import CSQLite
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// The migration of a SQLite store: one transaction on one connection, which contexts of any schema version can use.
///
/// Foreign keys are not enforced while tables change, and are enforced while contexts save.
/// `SQLITE_DBCONFIG_ENABLE_FKEY` changes this even inside a transaction. The change is safe, because no violation is
/// pending at that time: a nested transaction with a violation does not commit, and foreign keys are checked after
/// tables have changed.
///
/// Only used on the thread that opens the store.
final class SQLiteMigration: StoreMigration {
  let handle: SQLiteHandle
  /// The connection for data that does not depend on a schema: sequences and external files.
  let connection: SQLiteConnection
  let configuration: SQLiteStoreConfiguration
  let identifier: String
  let cipher: (any ValueCipher)?
  let reporter: MigrationReporter
  let external: MigratedFiles
  /// The approximate number of rows in each table of the stage, by the name of the table.
  var estimate = MigrationEstimate()

  init(
    _ handle: SQLiteHandle, configuration: SQLiteStoreConfiguration, identifier: String, cipher: (any ValueCipher)?,
    reporter: MigrationReporter, storedSchema: () throws -> MigrationSchema
  ) throws {
    self.handle = handle
    self.configuration = configuration
    self.identifier = identifier
    self.cipher = cipher
    self.reporter = reporter
    connection = SQLiteConnection(handle, statementMemory: SQLiteDialect.statementMemory(of: []))
    external = try MigratedFiles(connection) { try SQLiteDialect.mapping(of: storedSchema().layouts) }
  }

  /// Creates the spatial indexes that a store lacks because it was created by a SQLite without R-trees.
  func makeSpatialIndexes(of schema: MigrationSchema) throws {
    let database = mapping(of: schema)
    if database.hasSpatialIndexes { try SpatialIndexes(handle).makeMissing(in: database) }
  }

  /// Throws if SQLite itself has rolled the migration back, for example because the disk was full, and a stage ignored
  /// the error. Every further statement would be committed separately.
  func requireTransaction() throws {
    guard !handle.isInTransaction else { return }
    throw SwiftDataError(
      .storeFailure,
      "SQLite undid the migration of the store at \(configuration.path) after an earlier error that a stage did not throw. "
        + "The store is as it was. Let the stage throw what its context throws.")
  }

  // MARK: Contexts

  func withEngine(of schema: MigrationSchema, _ body: (any StoreEngine) throws -> Void) throws {
    try requireTransaction()
    let engine = engine(of: mapping(of: schema), allowsSave: true)
    defer { engine.close() }
    try body(engine)
  }

  private func mapping(of schema: MigrationSchema) -> DatabaseMapping {
    SQLiteDialect.mapping(of: schema.layouts, hasSpatialIndexes: configuration.hasSpatialModule)
  }

  private func engine(of mapping: DatabaseMapping, allowsSave: Bool) -> SQLiteStoreEngine {
    var configuration = configuration
    configuration.allowsSave = allowsSave
    let memory = StatementMemory(mapping, dialect: SQLiteDialect())
    return SQLiteStoreEngine(
      migrating: SQLiteConnection(handle, statementMemory: memory), configuration: configuration,
      identifier: identifier, cipher: cipher)
  }

  // MARK: Tables

  func change(
    _ change: SchemaChange, from old: MigrationSchema, to new: MigrationSchema,
    transform: ((any StoreEngine, any StoreEngine) throws -> Void)?
  ) throws {
    let (before, after) = (mapping(of: old), mapping(of: new))
    let defaults = try MigrationDefaults(change, new, cipher: cipher, usesPlaceholders: transform != nil)
    let plan = DatabaseMigration(
      change, from: before, to: after, defaults: defaults, keepsOld: transform != nil,
      sequenceTable: StoreFormat.sequenceTable, dialect: SQLiteDialect()
    ).planned()
    try estimate(before, plan)
    try remove(OutdatedTombstones(from: before, to: after))
    try withTablesChanging {
      for sql in ExternalTables.removal(from: before) { try handle.execute(sql) }
      for lost in plan.lostValues { try external.leave(lost) }
      for operation in plan.operations { try run(operation) }
      for sql in ExternalTables.statements(for: after, hasTable: external.hasTable) { try handle.execute(sql) }
      external.didAddTables(for: after)
    }
    if let transform {
      let aside = DatabaseMapping(
        entities: old.layouts, dialect: SQLiteDialect(), prefix: DatabaseMigration.asidePrefix,
        hasSpatialIndexes: false)
      let (oldEngine, newEngine) = (engine(of: aside, allowsSave: false), engine(of: after, allowsSave: true))
      defer { for engine in [oldEngine, newEngine] { engine.close() } }
      try transform(oldEngine, newEngine)
    }
    try withTablesChanging {
      for operation in plan.completion { try run(operation) }
      try checkReferences(of: Set(plan.checkedTables + (transform == nil ? [] : after.tables.map(\.name))))
    }
  }

  /// Changes tables without enforcing foreign keys. Renaming a table does not change the references to it.
  private func withTablesChanging(_ body: () throws -> Void) throws {
    try requireTransaction()
    try handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, false)
    try handle.setSwitch(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, true)
    defer {
      try? handle.setSwitch(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, false)
      try? handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, true)
    }
    try body()
  }

  private func remove(_ outdated: OutdatedTombstones) throws {
    guard !outdated.columns.isEmpty, try handle.hasTable(TombstoneTable.name) else { return }
    let statement = try SQLiteStatement(
      "DELETE FROM \(TombstoneTable.name) WHERE \"table\" = ?1 AND \"column\" = ?2", on: handle)
    for column in outdated.columns {
      try statement.bind(column.table, at: 1)
      try statement.bind(column.name, at: 2)
      try statement.run()
    }
  }

  private func checkReferences(of tables: Set<String>) throws {
    var broken: [BrokenReference] = []
    for table in tables.sorted() { broken += try connection.brokenReferences(of: table) }
    if !broken.isEmpty { throw broken.migrationError }
  }

  // MARK: Progress

  private func estimate(_ before: DatabaseMapping, _ plan: DatabaseMigration.Plan) throws {
    estimate = try MigrationEstimate(before) { table in
      let (name, key) = (SQLiteDialect().quoted(table), SQLiteDialect().quoted(DatabaseMapping.keyColumn))
      guard let last = try connection.number("SELECT max(\(key)) FROM \(name)"),
        let first = try connection.number("SELECT min(\(key)) FROM \(name)")
      else { return nil }
      return (first, last)
    }
    reporter.expect(estimate.total(of: plan))
  }
}

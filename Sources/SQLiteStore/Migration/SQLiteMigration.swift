import CSQLite
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// The migration of a SQLite store: one transaction on one connection, over which contexts of any version can work.
///
/// References are not enforced while tables change, and are while contexts save. The switch takes effect inside of a
/// transaction, which is safe here because it is only turned when no broken reference is pending: a nested transaction
/// with one does not commit, and changes of tables are checked before the switch is turned on again.
///
/// Used by the thread that opens the store.
final class SQLiteMigration: StoreMigration {
  let handle: SQLiteHandle
  /// For what is not of a schema: sequences and files.
  let connection: SQLiteConnection
  let configuration: SQLiteStoreConfiguration
  let identifier: String
  let cipher: (any ValueCipher)?
  let reporter: MigrationReporter
  let external: MigratedFiles
  /// How many rows the tables of the stage have, about, by name.
  var estimates: [String: Int] = [:]

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

  /// Makes the indexes over points that a store of a schema lacks, because a SQLite made it that cannot make them.
  func makeSpatialIndexes(of schema: MigrationSchema) throws {
    let database = mapping(of: schema)
    if database.hasSpatialIndexes { try SpatialIndexes(handle).makeMissing(in: database) }
  }

  /// Throws when SQLite has undone the migration by itself, as on a full disk, and a stage went on after that: every
  /// statement would be committed alone from then on.
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
    try OutdatedTombstones(from: before, to: after).remove(from: handle)
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

  /// Runs what changes tables, with references and their renaming left alone.
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

  private func checkReferences(of tables: Set<String>) throws {
    var broken: [BrokenReference] = []
    for table in tables.sorted() { broken += try connection.brokenReferences(of: table) }
    guard !broken.isEmpty else { return }
    throw SwiftDataError(
      .modelValidationFailure,
      "\(broken.words) lead to nothing. Set these references in a stage, or make the relationships optional.")
  }

  // MARK: Progress

  private func estimate(_ before: DatabaseMapping, _ plan: DatabaseMigration.Plan) throws {
    estimates = [:]
    for table in before.tables where !table.isShared { estimates[table.name] = try rowCount(of: table.name) }
    for link in before.tables.flatMap(\.links.values) where link.isDefining {
      estimates[link.name] = try rowCount(of: link.name)
    }
    reporter.expect(plan.all.reduce(0) { min($0 + estimate(of: $1), Self.greatestEstimate) })
  }

  /// More rows than any file has. Keys that another program gave may be further apart.
  private static let greatestEstimate = 1 << 40

  /// The span of the keys, which is about the number of rows and needs no look at them.
  private func rowCount(of table: String) throws -> Int {
    let (name, key) = (SQLiteDialect().quoted(table), SQLiteDialect().quoted(DatabaseMapping.keyColumn))
    let last = try connection.number("SELECT max(\(key)) FROM \(name)") ?? 0
    let first = try connection.number("SELECT min(\(key)) FROM \(name)") ?? 1
    let (span, isOver) = last.subtractingReportingOverflow(first)
    return isOver ? Self.greatestEstimate : min(Int(span), Self.greatestEstimate - 1) + 1
  }

  func estimate(of operation: MigrationOperation) -> Int {
    switch operation {
    case .run(_, let table): table.map(estimate(of:)) ?? 0
    case .copy(let copy): estimate(of: copy.source)
    case .fill(let fill): estimate(of: fill.table)
    case .reseal(let reseal): estimate(of: reseal.table)
    case .makeUnique(let test): estimate(of: test.table)
    case .defaultOriginals(_, let table): estimate(of: table)
    case .refuse, .originals: 0
    }
  }

  private func estimate(of table: String) -> Int {
    let prefix = DatabaseMigration.asidePrefix
    return estimates[table.hasPrefix(prefix) ? String(table.dropFirst(prefix.count)) : table] ?? 0
  }
}

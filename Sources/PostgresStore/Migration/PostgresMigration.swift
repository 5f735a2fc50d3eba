#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The migration of a PostgreSQL store: one transaction on one connection, used by the contexts of all stages.
  ///
  /// Programs with the old schema can read until the migration changes the first table. Then their reads wait for its
  /// end, and fail if the tables have changed (``PostgresStoreEngine/explained(_:)``).
  ///
  /// Used only by the thread that opens the store.
  final class PostgresMigration: StoreMigration {
    let connection: PostgresConnection
    let dialect: PostgresDialect
    let reporter: MigrationReporter
    /// Encrypts and decrypts values; nil if nothing is encrypted.
    let cipher: (any ValueCipher)?
    private let identifier: String
    private let location: String
    /// The estimated number of rows in the tables of the current stage.
    private(set) var estimate = MigrationEstimate()
    private var isLocked = false

    init(
      _ connection: PostgresConnection, dialect: PostgresDialect, identifier: String, location: String,
      cipher: (any ValueCipher)?, reporter: MigrationReporter
    ) {
      self.connection = connection
      self.dialect = dialect
      self.identifier = identifier
      self.location = location
      self.cipher = cipher
      self.reporter = reporter
    }

    /// Throws if an error has aborted the transaction, but the stage did not throw that error.
    func requireTransaction() throws {
      guard connection.transactionStatus != .inTransaction else { return }
      throw SwiftDataError(
        connection.isOpen ? .storeFailure : .storeUnreachable,
        "PostgreSQL gave up the migration of \(location) after an earlier error that a stage did not throw. "
          + "The store is as it was. Let the stage throw what its context throws.")
    }

    // MARK: Contexts

    func withEngine(of schema: MigrationSchema, _ body: (any StoreEngine) throws -> Void) throws {
      try requireTransaction()
      let engine = engine(of: dialect.mapping(of: schema.layouts), allowsSave: true)
      defer { engine.close() }
      try body(engine)
      try requireTransaction()
      try engine.noteMigratedKeys(connection)
    }

    private func engine(of database: DatabaseMapping, allowsSave: Bool) -> PostgresStoreEngine {
      let memory = StatementMemory(database, dialect: dialect)
      return PostgresStoreEngine(
        migrating: PostgresSession(connection, dialect: dialect, memory: memory, cipher: cipher),
        identifier: identifier, location: location, allowsSave: allowsSave)
    }

    // MARK: Tables

    func change(
      _ change: SchemaChange, from old: MigrationSchema, to new: MigrationSchema,
      transform: ((any StoreEngine, any StoreEngine) throws -> Void)?
    ) throws {
      let (before, after) = (dialect.mapping(of: old.layouts), dialect.mapping(of: new.layouts))
      let migration = try DatabaseMigration(
        change, from: before, to: after, new, keepsOld: transform != nil, dialect, cipher: cipher)
      let plan = migration.planned()
      try requireTransaction()
      try lock(before)
      // The offsets are read before the tables change, because the changes affect the next keys.
      let moves = try migration.tableRenamings.map { table in
        PostgresHistoryRenaming.Move(table: table, offset: try offset(of: table))
      }
      let history = PostgresHistoryRenaming(change, to: new, moves: moves, dialect: dialect)
      try prepare(before, plan)
      try remove(OutdatedTombstones(from: before, to: after))
      try withTablesChanging { for operation in plan.operations { try run(operation) } }
      if let transform { try self.transform(transform, from: old, to: after) }
      try withTablesChanging { for operation in plan.completion { try run(operation) } }
      let renamings = history.statements.map { PostgresStatement($0) }
      if !renamings.isEmpty { try connection.run(renamings, undoes: false) }
    }

    private func transform(
      _ body: (any StoreEngine, any StoreEngine) throws -> Void, from old: MigrationSchema, to after: DatabaseMapping
    ) throws {
      let aside = DatabaseMapping(
        entities: old.layouts, dialect: dialect, prefix: DatabaseMigration.asidePrefix, hasSpatialIndexes: false)
      let (oldEngine, newEngine) = (engine(of: aside, allowsSave: false), engine(of: after, allowsSave: true))
      defer { for engine in [oldEngine, newEngine] { engine.close() } }
      try body(oldEngine, newEngine)
      try requireTransaction()
      try newEngine.noteMigratedKeys(connection)
    }

    /// Locks all tables before the first one changes, so that no other transaction reads them.
    ///
    /// A single statement locks them. With several statements, a transaction that reads two tables could deadlock with
    /// the migration, and PostgreSQL would abort one of them. After a conflict, this tries again.
    func lock(_ database: DatabaseMapping) throws {
      guard !isLocked else { return }
      isLocked = true
      let tables = MigrationEstimate.tables(of: database).map(dialect.table).joined(separator: ", ")
      let statements = [
        "SAVEPOINT osd_lock", "LOCK TABLE \(tables) IN ACCESS EXCLUSIVE MODE", "RELEASE SAVEPOINT osd_lock",
      ]
      for attempt in 0... {
        guard let error = try connection.attempt(statements.map { PostgresStatement($0) }).error else { return }
        guard attempt < 10, error.postgresError?.isRetryable == true else { throw error }
        try connection.execute("ROLLBACK TO SAVEPOINT osd_lock; RELEASE SAVEPOINT osd_lock")
      }
    }

    /// The number to add to the keys of a table's rows when they are merged into another table.
    private func offset(of table: TableRenaming) throws -> Int64 {
      let key = dialect.quoted(DatabaseMapping.keyColumn)
      let sequences = dialect.table(PostgresOpening.sequenceTable)
      let numbers = table.preceding.map { other in
        """
        greatest((SELECT max(\(key)) FROM \(dialect.table(other.name))), (SELECT "next" - 1 FROM \(sequences)
        WHERE "entity" = \(dialect.literal(.text(other.sequenceName)))), 0)
        """
      }
      guard !numbers.isEmpty else { return 0 }
      let result = try connection.run(PostgresStatement("SELECT (\(numbers.joined(separator: " + ")))::int8"))
      return result.integer(0, 0) ?? 0
    }

    private func prepare(_ before: DatabaseMapping, _ plan: DatabaseMigration.Plan) throws {
      let tables = MigrationEstimate.tables(of: before)
      let key = dialect.quoted(DatabaseMapping.keyColumn)
      let statements = tables.map { "SELECT min(\(key)), max(\(key)) FROM \(dialect.table($0))" }
      let results = try connection.run(statements.map { PostgresStatement($0) }, undoes: false)
      let found = Dictionary(zip(tables, results)) { first, _ in first }
      estimate = MigrationEstimate(before) { table in
        guard let result = found[table], let first = result.integer(0, 0), let last = result.integer(0, 1) else {
          return nil
        }
        return (first, last)
      }
      estimate.rename(plan.renamedTables)
      reporter.expect(estimate.total(of: plan))
    }

    /// Changes tables. Foreign keys are checked first: PostgreSQL cannot change a table while checks are pending.
    private func withTablesChanging(_ body: () throws -> Void) throws {
      try requireTransaction()
      try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
      try body()
      try connection.execute("SET CONSTRAINTS ALL DEFERRED")
    }
  }

  extension DatabaseMigration {
    fileprivate init(
      _ change: SchemaChange, from before: DatabaseMapping, to after: DatabaseMapping, _ new: MigrationSchema,
      keepsOld: Bool, _ dialect: PostgresDialect, cipher: (any ValueCipher)? = nil
    ) throws {
      self.init(
        change, from: before, to: after,
        defaults: try MigrationDefaults(change, new, cipher: cipher, usesPlaceholders: keepsOld), keepsOld: keepsOld,
        sequenceTable: dialect.table(PostgresOpening.sequenceTable), dialect: dialect)
    }
  }

  extension PostgresDialect {
    /// The SQL of a migration stage, for people to read.
    func statements(for stage: any ResolvedMigrationStage) throws -> [String] {
      let plan = try DatabaseMigration(
        stage.change, from: mapping(of: stage.from.layouts), to: mapping(of: stage.to.layouts), stage.to,
        keepsOld: stage.keepsOld, self
      ).planned()
      return plan.all.flatMap { $0.statements(dialect: self) }
    }
  }

  extension Error {
    /// PostgreSQL's error behind this error, if any.
    var postgresError: PostgresError? { (self as? SwiftDataError)?.underlyingError as? PostgresError }
  }
#endif

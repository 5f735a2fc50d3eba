#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// How to migrate a store that was created with another schema.
  package struct PostgresMigrationRequest: Sendable {
    /// Returns the migration steps from a store's schema, which is given as JSON; nil if the store needs no migration.
    let route: @Sendable (String) throws -> (any MigrationSteps)?
    /// Returns the cipher for the migration; nil if nothing is encrypted.
    let cipher: @Sendable (any MigrationSteps) throws -> (any ValueCipher)?
    let progress: MigrationProgress?
    /// How long the migration waits for another program that migrates or changes the store.
    let timeout: Duration
    /// Whether the migration first copies the store (``PostgresMigrationBackup``).
    let keepsBackup: Bool

    package init(
      progress: MigrationProgress? = nil, timeout: Duration = .seconds(600), keepsBackup: Bool = false,
      cipher: @escaping @Sendable (any MigrationSteps) throws -> (any ValueCipher)? = { _ in nil },
      route: @escaping @Sendable (String) throws -> (any MigrationSteps)?
    ) {
      self.route = route
      self.cipher = cipher
      self.progress = progress
      self.timeout = timeout
      self.keepsBackup = keepsBackup
    }
  }

  extension PostgresOpening {
    /// Migrates the store if it has another schema, or texts of an older Unicode version. Returns the metadata after
    /// the migration.
    func migrated(_ connection: PostgresConnection, _ metadata: PostgresMetadata) throws -> PostgresMetadata {
      guard try isBehind(metadata, connection) else { return metadata }
      guard let pending = try prepareMigration(connection) else { return try metadataAfterWait(connection) }
      return try pending.commit()
    }

    /// Runs the migration in a transaction, which is left open. Returns nil if another program has migrated meanwhile.
    func prepareMigration(_ connection: PostgresConnection) throws -> PendingPostgresMigration? {
      try connection.migrating {
        try connection.execute(beginning)
        do {
          if let pending = try runLocked(connection) { return pending }
          try connection.execute("COMMIT")
          return nil
        } catch {
          if connection.isOpen, connection.transactionStatus != .idle { try? connection.execute("ROLLBACK") }
          throw connection.isOpen ? error : lost(by: error, at: place(connection))
        }
      }
    }

    /// Opens a connection to a store that must be migrated; nil if there is no store, or if it needs no migration.
    ///
    /// - Throws: The errors of opening the store, or the reason why it cannot be migrated.
    func connectionToMigrate() throws -> PostgresConnection? {
      let connection = try PostgresConnection(settings)
      guard let metadata = try found(connection) else { return nil }
      try checkFormat(metadata, connection)
      return try metadata.schemaJSON != schemaJSON && isBehind(metadata, connection) ? connection : nil
    }

    /// Whether the store must be changed before use. A read-only store may keep the texts of an older Unicode version.
    private func isBehind(_ metadata: PostgresMetadata, _ connection: PostgresConnection) throws -> Bool {
      guard metadata.schemaJSON != schemaJSON else { return metadata.unicode < .current && allowsSave }
      guard let migration else {
        throw SwiftDataError(
          .unknownSchema, "\(place(connection)) was made for other models, and is not to be migrated.")
      }
      guard try migration.route(metadata.schemaJSON) != nil else { return metadata.unicode < .current && allowsSave }
      guard allowsSave else {
        throw SwiftDataError(
          .storeReadOnly,
          "\(place(connection)) has an older schema and has to be migrated, and it was opened without saving. Open it once with "
            + "allowsSave; it has not been changed.")
      }
      return true
    }

    /// Begins the transaction. It limits only the waits for locks, and converts numbers to text exactly (`SET LOCAL`).
    private var beginning: String {
      let timeout = (migration?.timeout ?? .seconds(600)).milliseconds
      // The server rejects a longer time.
      let longest = min(timeout, Int64(Int32.max))
      return
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = \(longest); SET LOCAL statement_timeout = 0; "
        + "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL extra_float_digits = 1"
    }

    /// Migrates the store in the open transaction; returns nil if that is not necessary.
    private func runLocked(_ connection: PostgresConnection) throws -> PendingPostgresMigration? {
      try PostgresMetadata.lock(connection, dialect)
      let metadata = try metadataAfterWait(connection)
      guard try isBehind(metadata, connection) else { return nil }
      let mark = metadata.mark(dialect)
      let route = metadata.schemaJSON == schemaJSON ? nil : try migration?.route(metadata.schemaJSON)
      let cipher = try route.flatMap { try migration?.cipher($0) }
      // The key is checked first, so that the store is not migrated and then rejected because of a wrong key.
      if let cipher = cipher ?? self.cipher, metadata.keyProof != nil {
        try metadata.check(cipher, of: place(connection))
      }
      try connection.execute(mark.exclusion)
      let stages = route?.resolvedStages ?? []
      let reporter = MigrationReporter(migration?.progress, stageCount: stages.count)
      let running = PostgresMigration(
        connection, dialect: dialect, identifier: metadata.identifier, location: place(connection), cipher: cipher,
        reporter: reporter)
      if !stages.isEmpty, migration?.keepsBackup == true {
        try running.keepBackup(of: metadata, metadata.schema(path: place(connection)))
      }
      if metadata.unicode < .current {
        try PostgresUnicodeUpgrade(connection, dialect, from: metadata.unicode, location: place(connection)).run(
          metadata.schema(path: place(connection)))
      }
      try route?.run(on: running, reporter: reporter)
      try running.requireTransaction()
      let changed =
        try stages.last.map { try metadata.migrated(to: $0.to.json, cipher: self.cipher) } ?? metadata.upgraded()
      try connection.run(changed.statements(dialect), undoes: false)
      if changed.schemaNumber != mark.number {
        try connection.execute(mark.replacement(by: changed.mark(dialect)))
      }
      return PendingPostgresMigration(
        connection: connection, place: place(connection), metadata: changed, reporter: reporter, opening: self)
    }

    func metadataAfterWait(_ connection: PostgresConnection) throws -> PostgresMetadata {
      guard let metadata = try PostgresMetadata(from: connection, dialect) else {
        throw SwiftDataError(
          .storeCorrupt, "\(place(connection)) lost its metadata while it was opened. Restore it from a backup.")
      }
      try checkFormat(metadata, connection)
      return metadata
    }
  }

  extension PostgresMetadata {
    /// Locks the store's metadata until the transaction ends, so that only one program at a time migrates the store.
    static func lock(_ connection: PostgresConnection, _ dialect: PostgresDialect) throws {
      try connection.run(
        PostgresStatement(
          "SELECT 1 FROM \(dialect.table(table)) WHERE \"key\" = \(dialect.literal(.text(schemaKey))) FOR UPDATE"))
    }
  }
#endif

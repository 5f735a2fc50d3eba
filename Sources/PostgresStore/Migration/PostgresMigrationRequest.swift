#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// How a store is migrated if it was made with another schema than the one that it is opened with.
  package struct PostgresMigrationRequest: Sendable {
    /// The way from the schema that a store has, as JSON; nil when it can be used as it is.
    let route: @Sendable (String) throws -> (any MigrationSteps)?
    /// What opens and seals values on the way; nil when nothing is encrypted.
    let cipher: @Sendable (any MigrationSteps) throws -> (any ValueCipher)?
    let progress: MigrationProgress?
    /// How long to wait for another program that migrates the store or changes it.
    let timeout: Duration
    /// Whether the store as it was stays beside it (``PostgresMigrationBackup``).
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
    /// Takes a store to the schema that it is opened with and to the Unicode of the library, if it has others, and returns what it
    /// says about itself then.
    func migrated(_ connection: PostgresConnection, _ metadata: PostgresMetadata) throws -> PostgresMetadata {
      guard try isBehind(metadata, connection) else { return metadata }
      guard let pending = try prepareMigration(connection) else { return try metadataAfterWait(connection) }
      return try pending.commit()
    }

    /// Does everything that has to be done to a store, in a transaction that is left open; nil when another program has done it.
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

    /// A connection to a store that has another schema; nil without a store, and for a store that can be used as it is.
    ///
    /// - Throws: What opening the store would throw, and why it cannot be migrated.
    func connectionToMigrate() throws -> PostgresConnection? {
      let connection = try PostgresConnection(settings)
      guard let metadata = try found(connection) else { return nil }
      try checkFormat(metadata, connection)
      return try metadata.schemaJSON != schemaJSON && isBehind(metadata, connection) ? connection : nil
    }

    /// Whether a store has to be changed before it can be used as it is to be. Texts by an older version of Unicode can be read as
    /// they are.
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

    /// A migration takes as long as it takes, and texts of numbers are exact. What is set ends with the transaction.
    private var beginning: String {
      let timeout = (migration?.timeout ?? .seconds(600)).milliseconds
      // The greatest that the server takes.
      let longest = min(timeout, Int64(Int32.max))
      return
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = \(longest); SET LOCAL statement_timeout = 0; "
        + "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL extra_float_digits = 1"
    }

    /// Changes the store in the transaction that is open; nil when there is nothing to do.
    private func runLocked(_ connection: PostgresConnection) throws -> PendingPostgresMigration? {
      try PostgresMetadata.lock(connection, dialect)
      let metadata = try metadataAfterWait(connection)
      guard try isBehind(metadata, connection) else { return nil }
      let mark = metadata.mark(dialect)
      let route = metadata.schemaJSON == schemaJSON ? nil : try migration?.route(metadata.schemaJSON)
      let cipher = try route.flatMap { try migration?.cipher($0) }
      // Before the first change: a store is not to be migrated and refused then.
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
    /// Lets one program after the other migrate the store. The lock ends with the transaction.
    static func lock(_ connection: PostgresConnection, _ dialect: PostgresDialect) throws {
      try connection.run(
        PostgresStatement(
          "SELECT 1 FROM \(dialect.table(table)) WHERE \"key\" = \(dialect.literal(.text(schemaKey))) FOR UPDATE"))
    }
  }
#endif

#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// Opens a store: creates it if it is missing, and throws without a change if the namespace contains something else.
  package struct PostgresOpening: Sendable {
    /// The parts of an opened store.
    package struct Opened {
      package let session: PostgresSession
      /// The store's permanent identifier.
      package let identifier: String
      /// The table that each transaction locks, so that no migration runs at the same time.
      let mark: PostgresSchemaMark
    }

    let settings: PostgresSettings
    let dialect: PostgresDialect
    let allowsSave: Bool
    let schemaJSON: String
    let memory: StatementMemory
    /// Encrypts and decrypts values; nil if nothing is encrypted.
    let cipher: (any ValueCipher)?
    let migration: PostgresMigrationRequest?

    /// - Parameters:
    ///   - namespace: The PostgreSQL schema, which contains only the store and is created with it.
    ///   - plan: The entities of the store.
    ///   - cipher: Encrypts and decrypts values; nil if nothing is encrypted.
    ///   - migration: Migrates a store with another schema; nil to throw for such a store.
    package init(
      _ settings: PostgresSettings, namespace: String, allowsSave: Bool = true, plan: SchemaPlan,
      cipher: (any ValueCipher)? = nil, migration: PostgresMigrationRequest? = nil
    ) {
      self.settings = settings
      self.allowsSave = allowsSave
      self.cipher = cipher
      self.migration = migration
      let dialect = PostgresDialect(namespace: namespace)
      self.dialect = dialect
      schemaJSON = plan.json
      // The texts of the statements contain the namespace, so stores cannot share this cache.
      memory = StatementMemory(dialect.mapping(of: plan.layouts), dialect: dialect)
    }

    /// The table with the next key of each entity.
    static let sequenceTable = DatabaseMapping.ownPrefix + "sequence"

    /// Opens a session of an existing store.
    ///
    /// - Parameter other: The settings for another server; nil for the primary server.
    package func openSession(_ other: PostgresSettings? = nil) throws -> PostgresSession {
      PostgresSession(try PostgresConnection(other ?? settings), dialect: dialect, memory: memory, cipher: cipher)
    }

    /// Opens the store, and migrates it if necessary.
    ///
    /// - Throws: `SwiftDataError` of the store. The store is then unchanged.
    package func open() throws -> Opened {
      let session = try openSession()
      let found = try found(session.connection) ?? create(session.connection)
      try checkFormat(found, session.connection)
      let metadata = try migrated(session.connection, found)
      // The connection may be lost before the migration's commit is acknowledged. Then the store needs another session.
      let usable = session.connection.isOpen ? session : try openSession()
      try checkKey(metadata, usable.connection)
      return Opened(session: usable, identifier: metadata.identifier, mark: metadata.mark(dialect))
    }

    /// Checks that the keys decrypt the store. Records a new current key before the first value is encrypted with it.
    private func checkKey(_ metadata: PostgresMetadata, _ connection: PostgresConnection) throws {
      guard let cipher else { return }
      try metadata.check(cipher, of: place(connection))
      guard allowsSave, cipher.hasFormerKeys, try metadata.adding(cipher) != nil else { return }
      try connection.execute("BEGIN")
      do {
        try PostgresMetadata.lock(connection, dialect)
        // While this session waited for the lock, another program may have recorded this key or a newer one.
        let present = try metadataAfterWait(connection)
        try present.check(cipher, of: place(connection))
        if let changed = try present.adding(cipher) { try connection.run(changed.proofStatements(dialect)) }
        try connection.execute("COMMIT")
      } catch {
        if connection.isOpen, connection.transactionStatus != .idle { try? connection.execute("ROLLBACK") }
        throw error
      }
    }

    func checkFormat(_ metadata: PostgresMetadata, _ connection: PostgresConnection) throws {
      guard metadata.format > PostgresMetadata.currentFormat else { return }
      throw SwiftDataError(
        .backwardMigration,
        "\(place(connection)) has format \(metadata.format), and this version knows formats up to "
          + "\(PostgresMetadata.currentFormat). Update the program.")
    }

    /// The name of the store in messages.
    func place(_ connection: PostgresConnection) -> String {
      "the store in the schema \(dialect.quoted(dialect.namespace)) of \(connection.location)"
    }

    /// The schema of the store as JSON. The store is only read.
    ///
    /// - Throws: `SwiftDataError.storeUnreachable` if there is no store.
    package func storedSchemaJSON() throws -> String {
      let connection = try PostgresConnection(settings)
      guard let metadata = try found(connection) else { throw missingError(connection) }
      return metadata.schemaJSON
    }

    /// The store's metadata; nil if the namespace is empty or missing.
    func found(_ connection: PostgresConnection) throws -> PostgresMetadata? {
      if let known = try known(connection) { return known }
      var parameters = PostgresParameters()
      try parameters.append(dialect.namespace)
      try parameters.append(PostgresMetadata.table)
      let result = try connection.run(
        PostgresStatement(
          "SELECT count(*), count(*) FILTER (WHERE c.relname = $2::text) FROM pg_catalog.pg_class AS c "
            + "JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1::text", parameters))
      let (all, own) = (result.integer(0, 0) ?? 0, result.integer(0, 1) ?? 0)
      if all == 0 { return nil }
      guard own > 0, let metadata = try PostgresMetadata(from: connection, dialect) else {
        throw SwiftDataError(
          .storeOfAnotherProgram,
          "The schema \(dialect.quoted(dialect.namespace)) of \(connection.location) has tables that are none of a store. "
            + "Choose another namespace; nothing has been changed.")
      }
      return metadata
    }

    /// Reads the metadata of an existing store, without a query for the tables of the namespace. Nil if a table is
    /// missing. Also nil within a transaction: a query of a missing table would abort the transaction.
    private func known(_ connection: PostgresConnection) throws -> PostgresMetadata? {
      guard connection.transactionStatus == .idle else { return nil }
      do {
        return try PostgresMetadata(from: connection, dialect)
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.isMissing == true {
        return nil
      }
    }

    // MARK: Creation

    /// Creates the store. If another program has created it meanwhile, returns the metadata of that store.
    private func create(_ connection: PostgresConnection) throws -> PostgresMetadata {
      guard allowsSave else { throw missingError(connection) }
      try connection.execute("BEGIN")
      do {
        try lock(connection)
        if let metadata = try found(connection) {
          try connection.execute("COMMIT")
          return metadata
        }
        let metadata = try PostgresMetadata(schemaJSON: schemaJSON, cipher: cipher)
        let definition = Self.definition(of: memory.database, dialect) + [metadata.mark(dialect).creation]
        _ = try connection.run(
          definition.map { PostgresStatement($0) } + metadata.statements(dialect) + [PostgresStatement("COMMIT")])
        return metadata
      } catch {
        if connection.isOpen { try? connection.execute("ROLLBACK") }
        throw error
      }
    }

    private func missingError(_ connection: PostgresConnection) -> SwiftDataError {
      SwiftDataError(
        .storeUnreachable,
        "There is no store in the schema \(dialect.quoted(dialect.namespace)) of \(connection.location). Open it once with "
          + "allowsSave to make one.")
    }

    /// Waits while another process creates the same store. The lock is released when the transaction ends.
    private func lock(_ connection: PostgresConnection) throws {
      var parameters = PostgresParameters()
      try parameters.append("OpenSwiftData " + dialect.namespace)
      try connection.run(PostgresStatement("SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))", parameters))
    }

    /// The statements that create the tables of a store.
    static func definition(of database: DatabaseMapping, _ dialect: PostgresDialect) -> [String] {
      let text = dialect.columnType(for: .text, isUnsigned: false)
      return [
        "CREATE SCHEMA IF NOT EXISTS \(dialect.quoted(dialect.namespace))",
        "CREATE TABLE \(dialect.table(PostgresMetadata.table)) (\"key\" \(text) PRIMARY KEY, \"value\" text NOT NULL)",
        "CREATE TABLE \(dialect.table(sequenceTable)) (\"entity\" \(text) PRIMARY KEY, \"next\" int8 NOT NULL)",
      ] + PostgresHistoryStatements(database, dialect: dialect).definition
        + PostgresNewsTable(dialect: dialect).definition
        + SchemaDefinition(dialect: dialect).statements(for: database)
    }
  }

  extension PostgresSession {
    /// Reserves keys that no row has ever had, for this session only. The caller must not have an open transaction.
    package func takeKeys(_ count: Int, for entity: EntityLayout) throws -> ClosedRange<Int64> {
      let table = try database.table(for: entity)
      let name = dialect.table(PostgresOpening.sequenceTable)
      var parameters = PostgresParameters()
      try parameters.append(table.sequenceName)
      parameters.append(Int64(max(1, count)))
      let result = try connection.run(
        PostgresStatement(
          "INSERT INTO \(name) AS s (\"entity\", \"next\") VALUES ($1::text, 1 + $2::int8) "
            + "ON CONFLICT (\"entity\") DO UPDATE SET \"next\" = s.\"next\" + $2::int8 RETURNING \"next\"", parameters))
      guard let next = result.integer(0, 0), next - 1 <= EngineKeys.greatest else {
        throw SwiftDataError(
          .storeFull, "\(entity.name) has used up all primary keys of the store at \(connection.location).")
      }
      return (next - Int64(max(1, count)))...(next - 1)
    }
  }
#endif

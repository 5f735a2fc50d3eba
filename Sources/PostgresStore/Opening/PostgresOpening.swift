#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  /// Opens a store: recognises it, makes it when there is none, and refuses what is not ours without touching it.
  package struct PostgresOpening: Sendable {
    /// What an opened store consists of.
    package struct Opened {
      package let session: PostgresSession
      /// Stays with the store for its life.
      package let identifier: String
    }

    let settings: PostgresSettings
    let dialect: PostgresDialect
    let allowsSave: Bool
    let schemaJSON: String
    let memory: StatementMemory

    /// - Parameters:
    ///   - namespace: What PostgreSQL calls a schema: made with the store, which is all of it.
    ///   - plan: The entities of the store.
    package init(_ settings: PostgresSettings, namespace: String, allowsSave: Bool = true, plan: SchemaPlan) {
      self.settings = settings
      self.allowsSave = allowsSave
      let dialect = PostgresDialect(namespace: namespace)
      self.dialect = dialect
      schemaJSON = plan.json
      // Names of tables and statements have the namespace in them, so that no other store has the same.
      memory = StatementMemory(dialect.mapping(of: plan.layouts), dialect: dialect)
    }

    /// The table with the next key of each entity.
    static let sequenceTable = DatabaseMapping.ownPrefix + "sequence"

    /// Opens a session of a store that is there.
    ///
    /// - Parameter other: How to connect, where that is another server.
    package func openSession(_ other: PostgresSettings? = nil) throws -> PostgresSession {
      PostgresSession(try PostgresConnection(other ?? settings), dialect: dialect, memory: memory)
    }

    /// Opens the store.
    ///
    /// - Throws: `SwiftDataError` of the store. It is as it was then.
    package func open() throws -> Opened {
      let session = try openSession()
      let metadata = try found(session.connection) ?? create(session.connection)
      let place = "the store in the schema \(dialect.quoted(dialect.namespace)) of \(session.connection.location)"
      guard metadata.format <= PostgresMetadata.currentFormat else {
        throw SwiftDataError(
          .backwardMigration,
          "\(place) has format \(metadata.format), and this version knows formats up to \(PostgresMetadata.currentFormat). "
            + "Update the program.")
      }
      guard metadata.schemaJSON == schemaJSON else {
        throw SwiftDataError(
          .unknownSchema, "\(place) was made for other models. Stores in PostgreSQL cannot be migrated yet.")
      }
      return Opened(session: session, identifier: metadata.identifier)
    }

    /// What the store says of itself; nil where nothing is.
    private func found(_ connection: PostgresConnection) throws -> PostgresMetadata? {
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

    // MARK: Creation

    /// Makes the store, unless another program has made it meanwhile.
    private func create(_ connection: PostgresConnection) throws -> PostgresMetadata {
      guard allowsSave else {
        throw SwiftDataError(
          .storeUnreachable,
          "There is no store in the schema \(dialect.quoted(dialect.namespace)) of \(connection.location), and the configuration "
            + "does not allow making one.")
      }
      try connection.execute("BEGIN")
      do {
        try lock(connection)
        if let metadata = try found(connection) {
          try connection.execute("COMMIT")
          return metadata
        }
        let metadata = PostgresMetadata(schemaJSON: schemaJSON)
        _ = try connection.run(
          definition.map { PostgresStatement($0) } + metadata.statements(dialect) + [PostgresStatement("COMMIT")])
        return metadata
      } catch {
        if connection.isOpen { try? connection.execute("ROLLBACK") }
        throw error
      }
    }

    /// Waits for others who make the same store. The lock ends with the transaction.
    private func lock(_ connection: PostgresConnection) throws {
      var parameters = PostgresParameters()
      try parameters.append("OpenSwiftData " + dialect.namespace)
      try connection.run(PostgresStatement("SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))", parameters))
    }

    private var definition: [String] {
      let text = dialect.columnType(for: .text, isUnsigned: false)
      return [
        "CREATE SCHEMA IF NOT EXISTS \(dialect.quoted(dialect.namespace))",
        "CREATE TABLE \(dialect.table(PostgresMetadata.table)) (\"key\" \(text) PRIMARY KEY, \"value\" text NOT NULL)",
        "CREATE TABLE \(dialect.table(Self.sequenceTable)) (\"entity\" \(text) PRIMARY KEY, \"next\" int8 NOT NULL)",
        PostgresOriginals(dialect: dialect).definition,
      ] + PostgresNewsTable(dialect: dialect).definition
        + PostgresHistoryStatements(memory.database, dialect: dialect).definition
        + SchemaDefinition(dialect: dialect).statements(for: memory.database)
    }
  }

  extension PostgresSession {
    /// Takes keys that no row has had and nobody else gets. The caller is in no transaction.
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

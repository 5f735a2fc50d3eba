#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// A copy of a store from before its migration, in another namespace. Programs with the old schema can open it.
  ///
  /// The migration's own transaction creates it, so a failed migration leaves no copy. The next migration replaces it.
  struct PostgresMigrationBackup {
    static let suffix = "_backup"
    /// The metadata entry with the identifier of the store that was copied.
    private static let key = "backup of"
    /// The beginnings of those statements that are faster if they run after the rows are copied.
    private static let laterStatements = ["CREATE INDEX", "CREATE UNIQUE INDEX", "ALTER TABLE"]

    let connection: PostgresConnection
    let dialect: PostgresDialect
    let metadata: PostgresMetadata

    private var copy: PostgresDialect { PostgresDialect(namespace: dialect.namespace + Self.suffix) }

    /// Copies the store in the open transaction, while no other transaction changes the store.
    ///
    /// - Parameter schema: The schema of the store.
    /// - Throws: `SwiftDataError.storeOfAnotherProgram` if the namespace exists and is not a copy of this store.
    func make(of schema: MigrationSchema) throws {
      try removeFormer()
      let database = copy.mapping(of: schema.layouts)
      let all = PostgresOpening.definition(of: database, copy) + [metadata.mark(copy).creation]
      let (later, first) = (all.filter(Self.isLater), all.filter { !Self.isLater($0) })
      try run(first)
      try run(try copyingRows() + later + [copyingMetadata, sequence])
      try connection.run([try labelling()], undoes: false)
    }

    private func run(_ statements: [String]) throws {
      try connection.run(statements.map { PostgresStatement($0) }, undoes: false)
    }

    private static func isLater(_ statement: String) -> Bool {
      laterStatements.contains { statement.hasPrefix($0) }
    }

    // MARK: The previous copy

    private func removeFormer() throws {
      guard try exists("pg_namespace WHERE nspname = \(text(copy.namespace))") else { return }
      guard try isFormer() else {
        throw SwiftDataError(
          .storeOfAnotherProgram,
          "The schema \(copy.quoted(copy.namespace)) of \(connection.location) is not the backup of the store in "
            + "\(dialect.quoted(dialect.namespace)), which is to be migrated and has keepsMigrationBackup. Give it another name, or "
            + "drop it; nothing has been changed.")
      }
      try connection.execute("DROP SCHEMA \(copy.quoted(copy.namespace)) CASCADE")
    }

    private func isFormer() throws -> Bool {
      let table = copy.table(PostgresMetadata.table)
      guard try exists("(SELECT to_regclass(\(text(table))) AS c) AS t WHERE c IS NOT NULL") else { return false }
      return try exists("\(table) WHERE \"key\" = \(text(Self.key)) AND \"value\" = \(text(metadata.identifier))")
    }

    private func exists(_ rows: String) throws -> Bool {
      try connection.run(PostgresStatement("SELECT 1 FROM \(rows)")).rowCount > 0
    }

    // MARK: Rows

    /// The statements that copy the rows of all tables, and set the sequences of tables with generated keys. Change
    /// notifications are not copied: a program that opens the copy has not read anything before.
    private func copyingRows() throws -> [String] {
      let columns = try connection.run(PostgresStatement(columnsOfTables))
      return (0..<columns.rowCount).flatMap { row -> [String] in
        guard let table = columns.text(row, 0), let list = columns.text(row, 1) else { return [] }
        let (new, old) = (copy.table(table), dialect.table(table))
        let copying = "INSERT INTO \(new) (\(list)) SELECT \(list) FROM \(old)"
        guard let identity = columns.text(row, 2) else { return [copying] }
        let place = "pg_get_serial_sequence(\(text(new)), \(text(identity)))"
        return [copying, "SELECT setval(\(place), max(\(copy.quoted(identity)))) FROM \(new)"]
      }
    }

    private var columnsOfTables: String {
      let names = [PostgresMetadata.table, PostgresNewsTable.name].map(text).joined(separator: ", ")
      return """
        SELECT c.relname::text, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum), \
        max(a.attname::text) FILTER (WHERE a.attidentity <> '') \
        FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid \
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
        WHERE n.nspname = \(text(copy.namespace)) AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped \
        AND c.relname NOT IN (\(names)) GROUP BY 1 ORDER BY 1
        """
    }

    private var copyingMetadata: String {
      let table = PostgresMetadata.table
      return "INSERT INTO \(copy.table(table)) SELECT * FROM \(dialect.table(table)) ON CONFLICT (\"key\") DO NOTHING"
    }

    /// Makes the history of the copy continue with the next record number.
    private var sequence: String {
      let name = PostgresHistoryTable.sequenceName
      return "SELECT setval(\(text(copy.table(name))), (SELECT last_value FROM \(dialect.table(name))))"
    }

    private func labelling() throws -> PostgresStatement {
      try PostgresMetadata.writing(Self.key, metadata.identifier, copy.table(PostgresMetadata.table))
    }

    private func text(_ value: String) -> String { dialect.literal(.text(value)) }
  }

  extension PostgresMigration {
    /// Copies the store before the first stage. No other transaction can read or change it meanwhile.
    func keepBackup(of metadata: PostgresMetadata, _ schema: MigrationSchema) throws {
      try lock(dialect.mapping(of: schema.layouts))
      try PostgresMigrationBackup(connection: connection, dialect: dialect, metadata: metadata).make(of: schema)
    }
  }
#endif

#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// Computes the stored form of a store's texts again by the Unicode version of this library, in the open transaction.
  ///
  /// Only a text with characters that the recorded Unicode version did not have can have another form now. The server
  /// searches each table once for texts that are not ASCII, and only rows with a changed text are written. The old text
  /// is then stored as the row's original, unless the row has an original with the same form.
  struct PostgresUnicodeUpgrade {
    /// A column of a row.
    private struct Place {
      let table: TableMapping
      let key: Int64
      let column: TextColumn
    }

    private let connection: PostgresConnection
    private let dialect: PostgresDialect
    private let noted: UnicodeVersion
    private let location: String
    /// The number of rows that are read at a time.
    private static let portion = 5_000

    /// - Parameter noted: The Unicode version by which the stored forms of the texts were computed.
    init(_ connection: PostgresConnection, _ dialect: PostgresDialect, from noted: UnicodeVersion, location: String) {
      self.connection = connection
      self.dialect = dialect
      self.noted = noted
      self.location = location
    }

    /// - Parameter schema: The schema of the store.
    /// - Throws: `SwiftDataError.modelValidationFailure` if two texts that must be unique now have the same form.
    func run(_ schema: MigrationSchema) throws {
      for table in dialect.mapping(of: schema.layouts).tables where !table.isShared {
        let columns = table.textColumns
        if !columns.isEmpty { try bring(columns, of: table) }
      }
    }

    private func bring(_ columns: [TextColumn], of table: TableMapping) throws {
      let key = dialect.quoted(DatabaseMapping.keyColumn)
      let names = columns.map { dialect.quoted($0.name) }
      let isYoung = names.map { "octet_length(\($0)) <> char_length(\($0))" }.joined(separator: " OR ")
      let sql =
        "SELECT \(([key] + names).joined(separator: ", ")) FROM \(dialect.table(table.name)) "
        + "WHERE \(key) > $1::int8 AND (\(isYoung)) ORDER BY \(key) LIMIT \(Self.portion)"
      var last = Int64.min
      while true {
        var place = PostgresParameters()
        place.append(last)
        let rows = try connection.run(PostgresStatement(sql, place))
        for row in 0..<rows.rowCount {
          guard let key = rows.integer(row, 0) else { continue }
          last = max(last, key)
          for (index, column) in columns.enumerated() {
            guard let stored = rows.text(row, index + 1), noted.isOlder(than: stored) else { continue }
            try bring(stored, at: Place(table: table, key: key, column: column))
          }
        }
        if rows.rowCount < Self.portion { return }
      }
    }

    private func bring(_ stored: String, at place: Place) throws {
      let text = StoredText.original(ofForm: stored)
      let form = StoredText.form(of: text)
      guard !form.utf8.elementsEqual(stored.utf8) else { return }
      try update(place, from: stored, to: form)
      guard place.column.keepsOriginals else { return }
      if let known = try original(at: place), StoredText.form(of: known).utf8.elementsEqual(form.utf8) { return }
      try connection.run(
        PostgresOriginals(dialect: dialect).storing(
          [(key: place.key, column: place.column.name, original: text)], in: place.table.name), undoes: false)
    }

    private func original(at place: Place) throws -> String? {
      var parameters = PostgresParameters()
      parameters.append(place.key)
      let result = try connection.run(
        PostgresStatement(
          "SELECT \(PostgresOriginals(dialect: dialect).value(of: place.column.name)) "
            + "FROM \(dialect.table(place.table.name)) "
            + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = $1::int8", parameters))
      guard result.rowCount > 0, let digits = result.text(0, 0) else { return nil }
      return PostgresOriginals.bytes(ofDigits: digits).map { String(decoding: $0, as: UTF8.self) }
    }

    private func update(_ place: Place, from stored: String, to form: String) throws {
      var parameters = PostgresParameters()
      try parameters.append(form)
      parameters.append(place.key)
      do {
        try connection.run(
          PostgresStatement(
            "UPDATE \(dialect.table(place.table.name)) SET \(dialect.quoted(place.column.name)) = $1::text "
              + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = $2::int8", parameters))
      } catch {
        guard let cause = error.postgresError, cause.isUniqueness else { throw error }
        throw noted.ambiguity(
          of: stored, in: place.table, place.column, key: place.key, path: location, cause: cause)
      }
    }
  }
#endif

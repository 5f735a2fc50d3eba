#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  extension PostgresOriginals {
    /// The statement that adds originals (``OriginalNotes``) to the rows of a table; none if there are no originals.
    func storing(
      _ originals: [(key: Int64, column: String, original: String)], in table: String
    ) throws -> [PostgresStatement] {
      guard !originals.isEmpty else { return [] }
      var rows: [Int64: [String: String]] = [:]
      for original in originals { rows[original.key, default: [:]][original.column] = original.original }
      let all = Array(rows)
      var parameters = PostgresParameters()
      parameters.append(keys: all.map(\.key))
      try parameters.append(list: all.map { .text(try Self.json($0.value)) }, of: .json)
      let key = dialect.quoted(DatabaseMapping.keyColumn)
      return [
        PostgresStatement(
          "UPDATE \(dialect.table(table)) SET \(column) = (coalesce(\(column)::jsonb, '{}') || v.o::jsonb)::json "
            + "FROM unnest($1::int8[], $2::json[]) AS v (k, o) WHERE \(key) = v.k", parameters)
      ]
    }

    /// The statement that removes the originals of one column from some rows.
    func removing(_ name: String, ofTable table: String, keys: [Int64]) -> PostgresStatement {
      var parameters = PostgresParameters()
      parameters.append(keys: keys)
      return PostgresStatement(
        "UPDATE \(dialect.table(table)) SET \(column) = \(replacing([name], with: nil)) "
          + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = ANY ($1::int8[])", parameters)
    }
  }
#endif

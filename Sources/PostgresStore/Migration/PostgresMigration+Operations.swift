#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  extension PostgresMigration {
    /// The maximum range of keys in one statement. Progress is reported after each statement.
    private static let portion: Int64 = 50_000
    /// The maximum number of statements in one round trip.
    private static let longestPipeline = 1_000

    func run(_ operation: MigrationOperation) throws {
      switch operation {
      case .run(let sql, _): try run(sql, rows: estimate.rows(of: operation))
      case .refer(let reference, let sql): try refer(reference, sql, rows: estimate.rows(of: operation))
      case .copy(let copy): try run(copy)
      case .fill(let fill): try run(fill)
      case .reseal(let reseal): try run(reseal)
      case .makeUnique(let test): try run(test, rows: estimate.rows(of: operation))
      case .refuse(let refusal): if let error = refusal.error(try rows(refusal.query)) { throw error }
      case .originals(let sql): try connection.execute(sql)
      case .defaultOriginals(let sql, _): try run(sql, rows: estimate.rows(of: operation))
      }
    }

    private func run(_ sql: String, rows: Int) throws {
      try connection.execute(sql)
      if rows > 0 { try reporter.advance(rows) }
    }

    // MARK: Copies

    private func run(_ copy: RowCopy) throws {
      let sql = copy.sql(isPart: true, dialect: dialect)
      try forEachPortion(of: copy.source) { range in
        try reporter.advance(try connection.run(PostgresStatement(sql, range)).affectedRows)
      }
    }

    /// Divides the keys of a table into ranges, and calls the body with the first and the last key of each range.
    func forEachPortion(of table: String, _ body: (PostgresParameters) throws -> Void) throws {
      let (name, key) = (dialect.table(table), dialect.quoted(DatabaseMapping.keyColumn))
      let bounds = try connection.run(PostgresStatement("SELECT min(\(key)), max(\(key)) FROM \(name)"))
      guard var first = bounds.integer(0, 0), let last = bounds.integer(0, 1) else { return }
      // Keys are usually consecutive. After each range, the next existing key is queried, so that gaps are skipped.
      while true {
        // Another program may have assigned keys up to `Int64.max`.
        let (end, isOver) = first.addingReportingOverflow(Self.portion - 1)
        var range = PostgresParameters()
        range.append(first)
        range.append(isOver ? last : min(end, last))
        try body(range)
        guard !isOver, end < last else { return }
        var place = PostgresParameters()
        place.append(end)
        let following = try connection.run(
          PostgresStatement("SELECT min(\(key)) FROM \(name) WHERE \(key) > $1::int8", place))
        guard let next = following.integer(0, 0) else { return }
        first = next
      }
    }

    // MARK: Values that differ per row

    private func run(_ fill: RowFill) throws {
      let columns = DefaultColumns(of: fill.property, in: fill.entity, schema: fill.schema, cipher: cipher)
      let sql = fill.sql(dialect: dialect)
      let key = dialect.quoted(DatabaseMapping.keyColumn)
      let tests = ["\(key) >= $1::int8", "\(key) <= $2::int8", fill.test].compactMap { $0 }.joined(separator: " AND ")
      try forEachPortion(of: fill.table) { range in
        let found = try connection.run(
          PostgresStatement("SELECT \(key) FROM \(dialect.table(fill.table)) WHERE \(tests)", range))
        var rest = (0..<found.rowCount).compactMap { found.integer($0, 0) }[...]
        while !rest.isEmpty {
          let keys = rest.prefix(Self.longestPipeline)
          rest = rest.dropFirst(keys.count)
          try connection.run(try keys.flatMap { try filling(fill, $0, columns, sql) }, undoes: false)
        }
        try reporter.advance(found.rowCount)
      }
    }

    private func filling(
      _ fill: RowFill, _ key: Int64, _ columns: DefaultColumns, _ sql: String
    ) throws -> [PostgresStatement] {
      guard let fresh = try columns.freshValues() else { return [] }
      var parameters = PostgresParameters()
      for (column, value) in zip(fill.columns, fresh.values) { try parameters.append(value, as: column.type) }
      parameters.append(key)
      let originals = fresh.originals.filter { fill.columns.indices.contains($0.key) }
      return [PostgresStatement(sql, parameters)]
        + (try PostgresOriginals(dialect: dialect).storing(
          originals.map { (key: key, column: fill.columns[$0.key].name, original: $0.value) }, in: fill.table))
    }

    // MARK: Tests

    private func run(_ test: UniquenessTest, rows count: Int) throws {
      try attempt(test.sql, rows: count) { error in
        guard error.isUniqueness else { return nil }
        return test.error(try rows(test.duplicates), cause: error)
      }
    }

    /// Adds a foreign key constraint. PostgreSQL checks all rows against it.
    private func refer(_ reference: TableReference, _ sql: String, rows count: Int) throws {
      try attempt(sql, rows: count) { error in
        guard error.sqlState == "23503" else { return nil }
        let broken = try rows(brokenReferences(reference)).compactMap { row -> BrokenReference? in
          guard case .integer(let key)? = row.first else { return nil }
          return BrokenReference(
            table: reference.table, column: reference.column, key: key, parent: reference.target)
        }
        return broken.isEmpty ? nil : broken.migrationError
      }
    }

    private func brokenReferences(_ reference: TableReference) -> String {
      let (key, column) = (dialect.quoted(DatabaseMapping.keyColumn), dialect.quoted(reference.column))
      return "SELECT r.\(key) FROM \(dialect.table(reference.table)) AS r WHERE r.\(column) IS NOT NULL AND NOT EXISTS "
        + "(SELECT 1 FROM \(dialect.table(reference.target)) AS t WHERE t.\(key) = r.\(column)) ORDER BY 1 LIMIT 1000"
    }

    /// Runs a statement that fails if rows violate a constraint. A savepoint keeps the transaction usable after the
    /// failure, so that `explained` can query these rows.
    private func attempt(
      _ sql: String, rows count: Int, _ explained: (PostgresError) throws -> (any Error)?
    ) throws {
      let statements = ["SAVEPOINT osd_test", sql, "RELEASE SAVEPOINT osd_test"].map { PostgresStatement($0) }
      if let error = try connection.attempt(statements).error {
        guard let cause = error.postgresError, connection.isOpen else { throw error }
        try connection.execute("ROLLBACK TO SAVEPOINT osd_test; RELEASE SAVEPOINT osd_test")
        throw try explained(cause) ?? error
      }
      if count > 0 { try reporter.advance(count) }
    }

    private func rows(_ sql: String) throws -> [[StoredValue]] {
      let result = try connection.run(PostgresStatement(sql))
      return try (0..<result.rowCount).map { row in
        try (0..<result.columnCount).map { try result.value(row, $0) }
      }
    }
  }
#endif

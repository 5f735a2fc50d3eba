#if PostgreSQL
  import Foundation
  import PostgresStore

  /// The tables of a test's store, as PostgreSQL's system catalog lists them.
  package struct TestCatalog {
    package let connection: PostgresConnection
    package let namespace: String

    package init(_ cluster: TestCluster, namespace: String) throws {
      connection = try cluster.connect()
      self.namespace = namespace
      try connection.execute("SET search_path TO \(quoted(namespace))")
    }

    private func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// Runs the statement and returns its rows as texts. Its columns must be texts, numbers or bytes.
    package func rows(_ sql: String) throws -> [[String?]] {
      let result = try connection.run(PostgresStatement(sql))
      return try (0..<result.rowCount).map { row in
        try (0..<result.columnCount).map { column in
          switch try result.value(row, column) {
          case .null: nil
          case .integer(let number): "\(number)"
          case .real(let number): "\(number)"
          case .text(let text): text
          case .blob(let data): data.base64EncodedString()
          }
        }
      }
    }

    private func column(_ sql: String) throws -> [String] { try rows(sql).compactMap { $0.first ?? nil } }

    private var ofNamespace: String {
      "(SELECT oid FROM pg_namespace WHERE nspname = '\(namespace.replacing("'", with: "''"))')"
    }

    package var tables: [String] {
      get throws {
        try column(
          "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = \(ofNamespace) ORDER BY relname")
      }
    }

    /// What a migration must not leave behind: old tables that were set aside, a number of schema tables
    /// (`_osd_schema_…`) other than one, unvalidated constraints, disabled triggers, and original texts of columns that
    /// do not exist.
    package func problems() throws -> [String] {
      let tables = try tables
      let aside = tables.filter { $0.hasPrefix("_osd_old_") }.map { "\($0) is there" }
      let marks = tables.filter { $0.hasPrefix("_osd_schema_") }
      let unchecked = try column(
        "SELECT conname::text FROM pg_constraint WHERE NOT convalidated AND connamespace = \(ofNamespace)")
      let disabled = try column(
        "SELECT tgname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
          + "WHERE tgenabled = 'D' AND relnamespace = \(ofNamespace)")
      return aside + (marks.count == 1 ? [] : ["marks: \(marks)"]) + unchecked.map { "\($0) is not validated" }
        + disabled.map { "\($0) is disabled" } + (try strayOriginals(tables))
    }

    private func columns(of table: String) throws -> [String] {
      try column(
        "SELECT attname::text FROM pg_attribute WHERE attrelid = '\(quoted(table))'::regclass AND NOT attisdropped")
    }

    private func strayOriginals(_ tables: [String]) throws -> [String] {
      let known = Set(try tables.flatMap { table in try columns(of: table).map { "\(table).\($0)" } })
      return Set(try placesOfOriginals()).subtracting(known).map { "originals of \($0)" }
    }

    /// The table and the column of each stored original text.
    package func placesOfOriginals() throws -> [String] {
      try tables.flatMap { table -> [String] in
        guard try columns(of: table).contains("_osd_originals") else { return [] }
        return try column("SELECT json_object_keys(_osd_originals) FROM \(quoted(table))").map { "\(table).\($0)" }
      }.sorted()
    }

    /// The columns, constraints and indexes of the store. The result depends neither on the order of columns nor on
    /// names that PostgreSQL generates.
    package func layout() throws -> [String] {
      let columns = try column(
        """
        SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' '
          || coalesce(o.collname, '') || CASE WHEN a.attnotnull THEN ' required' ELSE '' END || ' '
          || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || ' ' || a.attidentity::text
        FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
        LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        LEFT JOIN pg_collation AS o ON o.oid = a.attcollation
        WHERE c.relkind = 'r' AND c.relnamespace = \(ofNamespace) AND a.attnum > 0 AND NOT a.attisdropped
        """)
      let constraints = try column(
        """
        SELECT c.relname || ' ' || CASE k.contype WHEN 'f' THEN k.conname::text ELSE k.contype::text END || ' '
          || pg_get_constraintdef(k.oid)
        FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid WHERE k.connamespace = \(ofNamespace)
        """)
      let indexes = try column(
        """
        SELECT pg_get_indexdef(x.indexrelid) FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
        WHERE c.relnamespace = \(ofNamespace) AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = x.indexrelid)
        """)
      return (columns + constraints + indexes).map { $0.replacing("\(quoted(namespace)).", with: "") }.sorted()
    }

    /// The layout, the rows of all tables and the names of the tables, to compare the store before and after an
    /// operation.
    package func dump() throws -> [[String?]] {
      try layout().map { [$0] }
        + tables.flatMap { table in
          // Excludes the sequence of keys, which may skip numbers, as it does after every rollback.
          try rows("SELECT '\(table)', t::text FROM \(quoted(table)) AS t ORDER BY 2").filter { _ in
            table != "_osd_sequence"
          }
        } + tables.map { [$0] }
    }
  }
#endif

#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// The statements on the originals of values whose stored form differs from them (`OriginalNotes`), in a table that every store
  /// has and nearly none has rows in.
  ///
  /// They are read with the rows, in the same snapshot and the same round trip.
  package struct PostgresOriginals {
    let dialect: PostgresDialect

    package init(dialect: PostgresDialect) {
      self.dialect = dialect
    }

    var table: String { dialect.table(OriginalStatements.tableName) }

    /// The statement that makes the table. Originals are bytes: a text of PostgreSQL's has no U+0000.
    package var definition: String {
      let text = dialect.columnType(for: .text, isUnsigned: false)
      return "CREATE TABLE \(table) (\"table\" \(text), \"key\" int8, \"column\" \(text), \"original\" bytea NOT NULL, "
        + "PRIMARY KEY (\"table\", \"key\", \"column\"))"
    }

    /// Whether values of a column may differ from their stored form.
    static func mayHave(_ column: ColumnMapping) -> Bool { column.format == .text || column.format == .real }

    private func literal(_ text: String) -> String { dialect.literal(.text(text)) }

    /// A statement that reads rows of a table by their primary key, with the originals of each row as another column: the name of a
    /// column, a byte that no name has, and the original.
    ///
    /// Whether the table has any originals is asked once for all rows. For one row that would take longer than looking for its own.
    func reading(_ sql: String, of name: String, isSingle: Bool = false) -> String {
      let ofTable = "_osd_o.\"table\" = \(literal(name))"
      let own =
        "ARRAY(SELECT convert_to(_osd_o.\"column\", 'UTF8') || '\\x00'::bytea || _osd_o.\"original\" FROM \(table) AS _osd_o "
        + "WHERE \(ofTable) AND _osd_o.\"key\" = _osd_q.\(dialect.quoted(DatabaseMapping.keyColumn)))"
      let any = "(SELECT EXISTS (SELECT 1 FROM \(table) AS _osd_o WHERE \(ofTable)))"
      return "SELECT _osd_q.*, \(isSingle ? own : "CASE WHEN \(any) THEN \(own) END") FROM (\(sql)) AS _osd_q"
    }

    /// The statement that stores originals: lists of keys, columns and bytes are the parameters.
    func store(ofTable name: String) -> String {
      "INSERT INTO \(table) (\"table\", \"key\", \"column\", \"original\") "
        + "SELECT \(literal(name)), v.k, v.c, v.o FROM unnest($1::int8[], $2::text[], $3::bytea[]) AS v (k, c, o) "
        + "ON CONFLICT (\"table\", \"key\", \"column\") DO UPDATE SET \"original\" = excluded.\"original\""
    }

    /// A statement that changes or deletes rows and returns their keys, with the removal of their originals.
    ///
    /// - Parameters:
    ///   - columns: The columns whose originals go; nil for all.
    func removing(with sql: String, ofTable name: String, columns: [String]? = nil) -> String {
      if let columns, columns.isEmpty { return sql }
      let test = columns.map { " AND _osd_o.\"column\" IN (\($0.map(literal).joined(separator: ", ")))" } ?? ""
      return "WITH _osd_r (k) AS (\(sql)), _osd_d AS (DELETE FROM \(table) AS _osd_o USING _osd_r "
        + "WHERE _osd_o.\"table\" = \(literal(name)) AND _osd_o.\"key\" = _osd_r.k\(test)) SELECT k FROM _osd_r"
    }

    /// A condition on a row: none of some columns has an original, so that what they have is what their values are.
    ///
    /// - Parameters:
    ///   - columns: The columns; nil for all.
    ///   - isSingle: Whether it is about one row. For several it is asked once whether the table has any originals.
    func lacking(_ columns: [String]?, ofTable name: String, key: String, isSingle: Bool) -> String {
      let any = "EXISTS (SELECT 1 FROM \(table) AS _osd_o WHERE _osd_o.\"table\" = \(literal(name))"
      let test = columns.map { " AND _osd_o.\"column\" IN (\($0.map(literal).joined(separator: ", ")))" } ?? ""
      let none = "NOT \(any) AND _osd_o.\"key\" = \(key)\(test))"
      return isSingle ? none : "CASE WHEN (SELECT \(any))) THEN \(none) ELSE TRUE END"
    }

    /// Whether a column that has a value in its stored form may have another one, which is its original.
    static func mayHide(_ column: ColumnMapping, behind value: QueryValue) -> Bool {
      switch value {
      case .null: false
      // That of a number is -0.0.
      case .real(let number): mayHave(column) && number == 0
      default: mayHave(column)
      }
    }

    /// The statement that removes all originals of rows, whose keys are in the list that is parameter 1.
    func remove(ofTable name: String) -> String {
      "DELETE FROM \(table) WHERE \"table\" = \(literal(name)) AND \"key\" = ANY ($1::int8[])"
    }
  }
#endif

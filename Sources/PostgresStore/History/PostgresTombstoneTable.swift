#if PostgreSQL
  import PersistenceHistory
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The table of the values of deleted rows, with a row for each value.
  ///
  /// Values are texts as PostgreSQL writes them, with the type that they had: a value of a column that has another type now is left out.
  struct PostgresTombstoneTable: Sendable {
    static let name = DatabaseMapping.ownPrefix + "tombstones"

    let dialect: PostgresDialect
    let table: String
    /// The statements that keep values of rows, by the table of these.
    private let keeping: [String: String]
    private let tableNames: Set<String>

    /// - Parameters:
    ///   - database: The tables whose values may be kept.
    ///   - number: The number of the record to come, as the session has it.
    init(_ database: DatabaseMapping, dialect: PostgresDialect, number: String) {
      self.dialect = dialect
      let table = dialect.table(Self.name)
      self.table = table
      var keeping: [String: String] = [:]
      for source in database.tables where !source.isShared {
        let columns = Self.columns(of: source)
        guard !columns.isEmpty else { continue }
        keeping[source.name] = Self.keep(columns, of: source, in: table, dialect, number: number)
      }
      self.keeping = keeping
      tableNames = Set(database.tables.map(\.name))
    }

    var definition: String {
      let text = dialect.columnType(for: .text, isUnsigned: false)
      return
        "CREATE TABLE \(table) (\"number\" int8, \"table\" \(text), \"key\" int8, \"column\" \(text), \"type\" text NOT NULL, "
        + "\"value\" \(text) NOT NULL, PRIMARY KEY (\"number\", \"table\", \"key\", \"column\"))"
    }

    /// The statement that keeps values of rows of a table, whose keys are in the list that is parameter 1; nil if none are kept.
    func keep(of name: String) -> String? { keeping[name] }

    /// The columns of a table whose values are kept, also those of entities that share it.
    private static func columns(of table: TableMapping) -> [ColumnMapping] {
      ([table] + table.subtables).flatMap { table in
        table.entity.preservedProperties.filter { property in
          table.entity.inheritance.map { $0.isRoot || property.position >= $0.firstPosition } ?? true
        }.flatMap { table.columns(of: $0.position) }
      }
    }

    /// The rows are locked, so that no other transaction changes them before they are deleted: in the order of their keys, as all
    /// transactions lock rows.
    private static func keep(
      _ columns: [ColumnMapping], of source: TableMapping, in table: String, _ dialect: PostgresDialect, number: String
    ) -> String {
      let key = dialect.quoted(DatabaseMapping.keyColumn)
      let values = columns.map { column in
        let (name, type) = (dialect.literal(.text(column.name)), dialect.literal(.text(typeName(of: column))))
        return "(\(name), \(type), _osd_d.\(dialect.quoted(column.name))::text)"
      }
      let wanted = ([DatabaseMapping.keyColumn] + columns.map(\.name)).map(dialect.quoted).joined(separator: ", ")
      let rows =
        "SELECT \(wanted) FROM \(dialect.table(source.name)) WHERE \(key) = ANY ($1::int8[]) ORDER BY \(key) FOR UPDATE"
      return "INSERT INTO \(table) (\"number\", \"table\", \"key\", \"column\", \"type\", \"value\") "
        + "SELECT \(number), \(dialect.literal(.text(source.name))), _osd_d.\(key), v.c, v.t, v.v FROM (\(rows)) AS _osd_d, "
        + "LATERAL (VALUES \(values.joined(separator: ", "))) AS v (c, t, v) WHERE v.v IS NOT NULL "
        + "ON CONFLICT (\"number\", \"table\", \"key\", \"column\") DO UPDATE SET \"value\" = excluded.\"value\""
    }

    /// The type of a column without what limits it, or orders it.
    private static func typeName(of column: ColumnMapping) -> String {
      let type = PostgresType(column.format, isUnsigned: column.isUnsigned)
      return type == .bytes ? "bytea" : "\(type)"
    }

    // MARK: Reading

    /// A statement that reads what is kept of an entity's rows with the numbers from parameter 1 to 2: the key, a column for each column
    /// of the properties of a mask, as rows have them, and the number.
    func reading(_ source: TableMapping, mask: UInt64) -> (sql: String, columns: [ColumnMapping]) {
      // Rows that came from several tables have left values under former names, unless something else has these now.
      let formerTable = StoredText.form(of: source.entity.originalName)
      let names = [source.name] + (tableNames.contains(formerTable) ? [] : [formerTable])
      let present = Set(source.columns.map(\.name))
      var columns: [ColumnMapping] = []
      var terms: [String] = []
      for property in source.entity.properties where property.bit & mask != 0 {
        for column in source.columns(of: property.position) {
          let former = property.attribute.map(\.originalName).flatMap { $0.isEmpty ? nil : $0 }
          let replaced = former.map { StoredText.form(of: $0) + column.name.dropFirst(property.name.count) }
          let others = [replaced].compactMap { $0 }.filter { !present.contains($0) }
          columns.append(column)
          terms.append(term(column, known: [column.name] + others))
        }
      }
      let sql =
        "SELECT \((["\"key\""] + terms + ["\"number\""]).joined(separator: ", ")) FROM \(table) "
        + "WHERE \"number\" BETWEEN $1::int8 AND $2::int8 AND \"table\" IN (\(list(names))) "
        + "GROUP BY \"number\", \"key\" ORDER BY \"number\", \"key\""
      return (sql, columns)
    }

    private func term(_ column: ColumnMapping, known names: [String]) -> String {
      let type = Self.typeName(of: column)
      return
        "max(CASE WHEN \"column\" IN (\(list(names))) AND \"type\" = \(dialect.literal(.text(type))) THEN \"value\" END)"
        + "::\(type)"
    }

    private func list(_ names: [String]) -> String {
      Set(names).sorted().map { dialect.literal(.text($0)) }.joined(separator: ", ")
    }

    // MARK: Deletions

    /// Deletes the values of the records in the list that is parameter 1.
    var delete: String { "DELETE FROM \(table) WHERE \"number\" = ANY ($1::int8[])" }
    /// Deletes the values of all records up to the one that is parameter 1.
    var deleteThrough: String { "DELETE FROM \(table) WHERE \"number\" <= $1::int8" }
    var deleteAll: String { "DELETE FROM \(table)" }
  }
#endif

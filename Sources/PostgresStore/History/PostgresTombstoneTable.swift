#if PostgreSQL
  import PersistenceHistory
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The table with the values of deleted rows. It has one row for each value.
  ///
  /// Each value is stored in PostgreSQL's text form, with its type. It is not read if the column has another type now.
  struct PostgresTombstoneTable: Sendable {
    static let name = DatabaseMapping.ownPrefix + "tombstones"

    let dialect: PostgresDialect
    let table: String
    /// The statements that store the values of rows, by table name.
    private let keeping: [String: String]
    private let tableNames: Set<String>

    /// - Parameters:
    ///   - database: The tables whose rows may have values to store.
    ///   - number: An SQL expression for the number of the session's next history record.
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

    /// Stores the values of the rows whose keys are the list in parameter 1; nil if the table has no values to store.
    func keep(of name: String) -> String? { keeping[name] }

    /// The columns whose values are stored, including those of other entities in the table.
    private static func columns(of table: TableMapping) -> [ColumnMapping] {
      ([table] + table.subtables).flatMap { table in
        table.entity.preservedProperties.filter { property in
          table.entity.inheritance.map { $0.isRoot || property.position >= $0.firstPosition } ?? true
        }.flatMap { table.columns(of: $0.position) }
      }
    }

    /// The statement also locks the rows, so that no other transaction changes them before they are deleted. Like every
    /// transaction, it locks them in the order of their keys.
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

    /// The name of a column's type, without length limit or collation.
    private static func typeName(of column: ColumnMapping) -> String {
      let type = PostgresType(column.format, isUnsigned: column.isUnsigned)
      return type == .bytes ? "bytea" : "\(type)"
    }

    // MARK: Reading

    /// The statement that reads the values of an entity's deleted rows, from the records with numbers from parameter 1
    /// to parameter 2. A row of its result has the key, the columns in `mask` (a bit mask of properties), and the
    /// record's number.
    func reading(_ source: TableMapping, mask: UInt64) -> (sql: String, columns: [ColumnMapping]) {
      // Values stored under a table's or column's former name are read too, unless another one has that name now.
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

    /// Deletes the values of the records whose numbers are the list in parameter 1.
    var delete: String { "DELETE FROM \(table) WHERE \"number\" = ANY ($1::int8[])" }
    /// Deletes the values of all records up to the number in parameter 1.
    var deleteThrough: String { "DELETE FROM \(table) WHERE \"number\" <= $1::int8" }
    var deleteAll: String { "DELETE FROM \(table)" }
  }
#endif

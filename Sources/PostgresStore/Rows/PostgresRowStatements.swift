#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// Writes the statements on many rows at once, whose parameters are arrays: one for each column (``PostgresBatch``).
  package struct PostgresRowStatements {
    let dialect: PostgresDialect

    package init(dialect: PostgresDialect) {
      self.dialect = dialect
    }

    private var key: String { dialect.quoted(DatabaseMapping.keyColumn) }

    /// The types of the parameters of one inserted row: the primary key and all columns.
    package func typesOfInsertion(_ table: TableMapping) -> [SQLParameterType] {
      [.value(.reference)] + table.columns.map { .value($0.format, isUnsigned: $0.isUnsigned) }
    }

    /// The types of the parameters of one changed row: the columns of a mask and the primary key.
    package func typesOfUpdate(_ table: TableMapping, mask: UInt64) -> [SQLParameterType] {
      table.columns(in: mask).map { .value($0.format, isUnsigned: $0.isUnsigned) } + [.value(.reference)]
    }

    /// Inserts rows.
    package func insert(into table: TableMapping) -> String {
      let types = typesOfInsertion(table)
      var columns = [key] + table.columns.map { dialect.quoted($0.name) }
      var values = types.indices.map { value($0) }
      if table.entity.inheritance != nil {
        columns.append(dialect.quoted(DatabaseMapping.entityColumn))
        values.append(dialect.literal(.text(StoredText.form(of: table.entity.name))))
      }
      return "INSERT INTO \(dialect.table(table.name)) (\(columns.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(source(types))"
    }

    /// Changes the columns of a mask in rows that are there, and returns the keys of these.
    package func update(_ table: TableMapping, mask: UInt64) -> String {
      let types = typesOfUpdate(table, mask: mask)
      let changes = RowStatements(dialect: dialect).changes(of: table, mask: mask) { index, _ in value(index) }
      let name = "\(dialect.quoted(table.name)).\(key)"
      return "UPDATE \(dialect.table(table.name)) SET \(changes.joined(separator: ", ")) FROM \(source(types)) "
        + "WHERE \(name) = \(value(types.count - 1)) RETURNING \(name)"
    }

    /// Deletes the rows whose keys are in the list that is parameter 1.
    package func delete(from table: TableMapping) -> String {
      let list = dialect.placeholder(1, .list(.reference))
      return "DELETE FROM \(dialect.table(table.name)) WHERE "
        + dialect.isMember(key, ofList: list, format: .reference)
    }

    // No column has such a name, which would be the same as that of a changed one.

    private func value(_ index: Int) -> String { "_osd_v._osd_\(index + 1)" }

    private func source(_ types: [SQLParameterType]) -> String {
      let lists = types.enumerated().map { dialect.placeholder($0 + 1, $1.list) }
      let names = types.indices.map { "_osd_\($0 + 1)" }
      return "unnest(\(lists.joined(separator: ", "))) AS _osd_v (\(names.joined(separator: ", ")))"
    }
  }
#endif

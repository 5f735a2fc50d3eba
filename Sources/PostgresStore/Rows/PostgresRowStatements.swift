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

    /// Inserts rows, but for those whose unique values are there, and returns the keys of the inserted ones.
    package func insertMissing(into table: TableMapping) -> String {
      dialect.insertingMissing(insert(into: table)) + " RETURNING \(key)"
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
    ///
    /// - Parameters:
    ///   - mayRepeat: Whether a row may come several times, the last time with the values that it gets.
    ///   - comparesColumns: Whether only rows change that have what is expected in the columns: behind the key is another list
    ///     of each.
    package func update(
      _ table: TableMapping, mask: UInt64, mayRepeat: Bool = false, comparesColumns: Bool = false
    ) -> String {
      let columns = table.columns(in: mask)
      let written = typesOfUpdate(table, mask: mask)
      let types = written + (comparesColumns ? written.dropLast() : [])
      let changes = RowStatements(dialect: dialect).changes(of: table, mask: mask) { index, _ in value(index) }
      let name = "\(dialect.quoted(table.name)).\(key)"
      var tests = (comparesColumns ? columns : []).enumerated().map { index, column in
        " AND \(dialect.quoted(table.name)).\(dialect.quoted(column.name)) IS NOT DISTINCT FROM "
          + value(written.count + index)
      }
      let inForms = columns.filter(PostgresOriginals.mayHave).map(\.name)
      if comparesColumns, !inForms.isEmpty {
        tests.append(" AND \(PostgresOriginals(dialect: dialect).lacking(inForms, ofTable: table.name, key: name))")
      }
      return "UPDATE \(dialect.table(table.name)) SET \(changes.joined(separator: ", ")) "
        + "FROM \(mayRepeat ? lastOfEach(types) : source(types)) "
        + "WHERE \(name) = \(value(written.count - 1))\(tests.joined()) RETURNING \(name)"
    }

    /// An expression over all rows of a statement that fails it, unless there are as many as a parameter says: nothing else
    /// ends a transaction without an answer to the one who began it.
    func requireCount(parameter index: Int) -> String {
      "1 / (count(*) = \(dialect.placeholder(index, .value(.integer))))::int4"
    }

    /// Deletes the rows whose keys are in the list that is parameter 1, and returns the keys of those that were there.
    package func delete(from table: TableMapping) -> String {
      let list = dialect.placeholder(1, .list(.reference))
      return "DELETE FROM \(dialect.table(table.name)) WHERE "
        + dialect.isMember(key, ofList: list, format: .reference) + " RETURNING \(key)"
    }

    /// Keeps others from changing the rows whose keys are in the list that is parameter 1. In the order of the keys, so that two who lock
    /// the same rows do not wait for each other.
    func lock(_ table: TableMapping) -> String {
      "SELECT \(key) FROM \(dialect.table(table.name)) WHERE \(key) = ANY ($1::int8[]) ORDER BY \(key) FOR NO KEY UPDATE"
    }

    /// Keeps others from referring to the rows whose keys are in the list that is parameter 1, too.
    func lockForDeletion(_ table: TableMapping) -> String {
      "SELECT \(key) FROM \(dialect.table(table.name)) WHERE \(key) = ANY ($1::int8[]) ORDER BY \(key) FOR UPDATE"
    }

    /// Reads the keys of the rows that refer to rows whose keys are in the list that is parameter 1.
    ///
    /// - Parameter locks: Whether others are kept from changing the rows, and from referring to them.
    func keys(referringBy column: String, in table: String, locks: Bool = false) -> String {
      "SELECT \(key) FROM \(dialect.table(table)) WHERE \(dialect.quoted(column)) = ANY ($1::int8[])"
        + (locks ? " ORDER BY \(key) FOR UPDATE" : "")
    }

    /// Gives rows numbers in a column: the numbers and the keys of the rows are lists.
    func setNumbers(_ column: String, in table: String) -> String {
      "UPDATE \(dialect.table(table)) SET \(dialect.quoted(column)) = v.r "
        + "FROM unnest($1::float8[], $2::int8[]) AS v (r, k) WHERE \(key) = v.k"
    }

    // MARK: Pairs

    /// Inserts the pairs that are not there, in their order: owners and targets are lists.
    func insertPairs(into link: LinkTableMapping) -> String {
      let (owner, target) = (dialect.quoted(link.owner.column), dialect.quoted(link.target.column))
      return dialect.insertingMissing(
        "INSERT INTO \(dialect.table(link.name)) (\(owner), \(target)) SELECT v.o, v.t "
          + "FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS v (o, t, n) ORDER BY v.n")
    }

    /// Deletes pairs: owners and targets are lists.
    func deletePairs(from link: LinkTableMapping) -> String {
      "DELETE FROM \(dialect.table(link.name)) USING unnest($1::int8[], $2::int8[]) AS v (o, t) "
        + "WHERE \(dialect.quoted(link.owner.column)) = v.o AND \(dialect.quoted(link.target.column)) = v.t"
    }

    /// Reads owner, target, number and place of the pairs of the owners in the list that is parameter 1.
    func ranks(in link: LinkTableMapping) -> String {
      let (owner, target) = (dialect.quoted(link.owner.column), dialect.quoted(link.target.column))
      let place = dialect.quoted(link.owner.positionColumn)
      return "SELECT \(owner), \(target), \(key), coalesce(\(place), \(key)::float8) FROM \(dialect.table(link.name)) "
        + "WHERE \(owner) = ANY ($1::int8[])"
    }

    /// Takes a number that is above those of all pairs.
    func nextNumber(of link: LinkTableMapping) -> String {
      "SELECT nextval(\(dialect.sequence(ofPairsIn: link.name)))"
    }

    // No column has such a name, which would be the same as that of a changed one.

    private func value(_ index: Int) -> String { "_osd_v._osd_\(index + 1)" }

    private func source(_ types: [SQLParameterType]) -> String {
      "unnest(\(lists(types))) AS _osd_v (\(names(types)))"
    }

    /// The last one of the rows with the same last column.
    private func lastOfEach(_ types: [SQLParameterType]) -> String {
      let last = "_osd_\(types.count)"
      return
        "(SELECT DISTINCT ON (\(last)) * FROM unnest(\(lists(types))) WITH ORDINALITY AS _osd_u (\(names(types)), _osd_n) "
        + "ORDER BY \(last), _osd_n DESC) AS _osd_v"
    }

    private func lists(_ types: [SQLParameterType]) -> String {
      types.enumerated().map { dialect.placeholder($0 + 1, $1.list) }.joined(separator: ", ")
    }

    private func names(_ types: [SQLParameterType]) -> String {
      types.indices.map { "_osd_\($0 + 1)" }.joined(separator: ", ")
    }
  }
#endif

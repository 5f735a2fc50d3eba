#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The variant of a statement that compares rows while it writes.
  struct ComparisonForm: Sendable, Hashable {
    /// Whether rows are deleted; otherwise they are changed.
    let isDeletion: Bool
    let mask: UInt64
    /// Whether one row is written, with its values as parameters; otherwise the parameters are arrays.
    let isSingle: Bool
    /// Whether another value may have the stored form of an expected one.
    let mayHaveOriginals: Bool
    /// Whether the originals (``OriginalNotes``) of each changed row follow its key.
    var writesOriginals = false
  }

  /// Writes the statements on many rows at once. Their parameters are arrays: one for each column (``PostgresBatch``).
  package struct PostgresRowStatements {
    let dialect: PostgresDialect

    package init(dialect: PostgresDialect) {
      self.dialect = dialect
    }

    var key: String { dialect.quoted(DatabaseMapping.keyColumn) }

    /// The type of a row's originals, which are an additional last parameter if any row has originals.
    private static let originals = SQLParameterType.value(.json)

    /// The parameter types of one inserted row: the primary key and all columns.
    package func typesOfInsertion(_ table: TableMapping) -> [SQLParameterType] {
      [.value(.reference)] + table.columns.map { .value($0.format, isUnsigned: $0.isUnsigned) }
    }

    /// The parameter types of one changed row: the columns of a mask and the primary key.
    package func typesOfUpdate(_ table: TableMapping, mask: UInt64) -> [SQLParameterType] {
      table.columns(in: mask).map { .value($0.format, isUnsigned: $0.isUnsigned) } + [.value(.reference)]
    }

    /// Inserts rows, except those whose unique values exist, and returns the keys of the inserted ones.
    package func insertMissing(into table: TableMapping, hasOriginals: Bool = false) -> String {
      dialect.insertingMissing(insert(into: table, hasOriginals: hasOriginals)) + " RETURNING \(key)"
    }

    /// Inserts rows.
    package func insert(into table: TableMapping, hasOriginals: Bool = false) -> String {
      let types = typesOfInsertion(table) + (hasOriginals ? [Self.originals] : [])
      var columns = [key] + table.columns.map { dialect.quoted($0.name) }
      if hasOriginals { columns.append(dialect.quoted(DatabaseMapping.originalsColumn)) }
      var values = types.indices.map { value($0) }
      if table.entity.inheritance != nil {
        columns.append(dialect.quoted(DatabaseMapping.entityColumn))
        values.append(dialect.literal(.text(StoredText.form(of: table.entity.name))))
      }
      return "INSERT INTO \(dialect.table(table.name)) (\(columns.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(source(types))"
    }

    /// Copies rows from data: primary key, all columns, originals if any row has some, in a hierarchy the entity name.
    func copy(into table: TableMapping, hasOriginals: Bool) -> String {
      var all = [DatabaseMapping.keyColumn] + table.columns.map(\.name)
      if hasOriginals { all.append(DatabaseMapping.originalsColumn) }
      if table.entity.inheritance != nil { all.append(DatabaseMapping.entityColumn) }
      return "COPY \(dialect.table(table.name)) (\(all.map(dialect.quoted).joined(separator: ", "))) "
        + "FROM STDIN (FORMAT binary)"
    }

    /// Updates the columns of a mask in existing rows, and returns their keys.
    ///
    /// - Parameters:
    ///   - hasOriginals: Whether the originals of each row follow its key.
    ///   - mayRepeat: Whether a row may occur several times; the last occurrence counts.
    package func update(
      _ table: TableMapping, mask: UInt64, hasOriginals: Bool = false, mayRepeat: Bool = false
    ) -> String {
      let written = typesOfUpdate(table, mask: mask)
      let types = written + (hasOriginals ? [Self.originals] : [])
      let changes = RowStatements(dialect: dialect).changes(
        of: table, mask: mask, originals: hasOriginals ? value(written.count) : nil
      ) { index, _ in value(index) }
      let name = "\(dialect.quoted(table.name)).\(key)"
      return "UPDATE \(dialect.table(table.name)) SET \(changes.joined(separator: ", ")) "
        + "FROM \(mayRepeat ? lastOfEach(types, key: written.count) : source(types)) "
        + "WHERE \(name) = \(value(written.count - 1)) RETURNING \(name)"
    }

    // MARK: Comparing

    /// Changes or deletes rows with the expected values in the columns of a mask, and fails if any row differs. Returns
    /// the transaction ID in column 0, and locks the schema mark.
    ///
    /// First come the columns: their new values, or the expected values of deleted rows. The key follows, then for
    /// changed rows the originals, if any, and the expected values. With arrays, the last parameter is their length.
    func compare(_ table: TableMapping, _ form: ComparisonForm, _ mark: PostgresSchemaMark) -> String {
      let count =
        form.isSingle ? "1" : dialect.placeholder(typesOfComparison(table, form).count + 1, .value(.integer))
      // A division by zero aborts the transaction on the server; any other test needs another round trip.
      return "WITH _osd_r AS (\(comparison(table, form)) RETURNING 1) SELECT pg_current_xact_id_if_assigned()::text, "
        + "1 / (count(*) = \(count))::int4, \(mark.column(never: "count(*) < 0")) FROM _osd_r"
    }

    /// The same statement for one row. The result contains the row if it has the expected values.
    func compareAlone(_ table: TableMapping, _ form: ComparisonForm, _ mark: PostgresSchemaMark) -> String {
      let name = "\(dialect.quoted(table.name)).\(key)"
      return comparison(table, form) + " RETURNING pg_current_xact_id_if_assigned()::text, "
        + mark.column(never: "\(name) < 0")
    }

    private func typesOfComparison(_ table: TableMapping, _ form: ComparisonForm) -> [SQLParameterType] {
      let own = typesOfUpdate(table, mask: form.mask)
      let written = own + (form.writesOriginals ? [Self.originals] : [])
      return written + (form.isDeletion ? [] : own.dropLast())
    }

    private func comparison(_ table: TableMapping, _ form: ComparisonForm) -> String {
      let columns = table.columns(in: form.mask)
      let own = typesOfUpdate(table, mask: form.mask)
      let types = typesOfComparison(table, form)
      func value(_ index: Int) -> String {
        form.isSingle ? dialect.placeholder(index + 1, types[index]) : self.value(index)
      }
      let (row, name) = (dialect.quoted(table.name), "\(dialect.quoted(table.name)).\(key)")
      var tests = ["\(name) = \(value(columns.count))"]
      let start = form.isDeletion ? 0 : own.count + (form.writesOriginals ? 1 : 0)
      tests += columns.enumerated().map { index, column in
        dialect.isSame("\(row).\(dialect.quoted(column.name))", value(start + index))
      }
      if form.mayHaveOriginals {
        let names = form.isDeletion ? nil : columns.filter(\.mayHaveOriginals).map(\.name)
        tests.append(PostgresOriginals(dialect: dialect).lacking(names))
      }
      let source = form.isSingle ? "" : " \(form.isDeletion ? "USING" : "FROM") \(source(types))"
      let condition = "\(source) WHERE \(tests.joined(separator: " AND "))"
      let changes = RowStatements(dialect: dialect).changes(
        of: table, mask: form.mask, originals: form.writesOriginals ? value(own.count) : nil
      ) { index, _ in value(index) }
      let change =
        form.isDeletion
        ? "DELETE FROM \(dialect.table(table.name))"
        : "UPDATE \(dialect.table(table.name)) SET \(changes.joined(separator: ", "))"
      return change + condition
    }

    /// Deletes the rows with the keys in the list parameter 1 whose last writer is a transaction older than the ID in
    /// parameter 2.
    ///
    /// - Parameter isRange: Whether parameter 1 is the first key of a range instead, and parameter 3 the last key.
    package func deleteOlder(from table: TableMapping, isRange: Bool = false) -> String {
      let (row, name) = (dialect.quoted(table.name), "\(dialect.quoted(table.name)).\(key)")
      let isMember = isRange ? "\(name) BETWEEN $1::int8 AND $3::int8" : "\(name) = ANY ($1::int8[])"
      return "DELETE FROM \(dialect.table(table.name)) WHERE \(isMember) AND age(\(row).xmin) > \(Self.age)"
    }

    /// Deletes the rows with the keys in parameter 2 that reference rows with the keys in the list parameter 1.
    ///
    /// CASE keeps the planner from estimating each element of the second list, which takes as long as the deletion.
    func delete(from table: TableMapping, referringBy column: String) -> String {
      "DELETE FROM \(dialect.table(table.name)) WHERE \(dialect.quoted(column)) = ANY ($1::int8[]) "
        + "AND CASE WHEN \(key) = ANY ($2::int8[]) THEN TRUE ELSE FALSE END"
    }

    /// The age of the transaction with the full ID in parameter 2. Rows store 32 bits of their ID, which wrap around. A
    /// distant ID therefore gets the maximum age, and no row counts as older. A row with a wrapped age seems younger.
    private static let age = """
      (SELECT CASE WHEN pg_snapshot_xmax(pg_current_snapshot())::text::int8 - $2::int8 BETWEEN 0 AND 1000000000 \
      THEN age(($2::int8 & 4294967295)::text::xid) ELSE 2147483647 END)
      """

    /// Fails if a row references rows with the keys in the list parameter 1, unless it is one of them itself.
    ///
    /// `min` is the start of an index. EXISTS would scan the table if many rows reference few: the planner expects an
    /// early match, and there is none. A list as a subquery is hashed; an array would be searched for each row.
    package func refuseReferences(by column: String, in table: String, toItself: Bool) -> String {
      let (column, test) = (dialect.quoted(column), toItself ? " AND \(key) NOT IN (SELECT unnest($1::int8[]))" : "")
      return "SELECT 1 / (min(\(column)) IS NULL)::int4 FROM \(dialect.table(table)) "
        + "WHERE \(column) = ANY ($1::int8[])\(test)"
    }

    /// Deletes the rows with the keys in the list parameter 1, and returns the keys of those that existed.
    package func delete(from table: TableMapping) -> String {
      let list = dialect.placeholder(1, .list(.reference))
      return "DELETE FROM \(dialect.table(table.name)) WHERE "
        + dialect.isMember(key, ofList: list, format: .reference) + " RETURNING \(key)"
    }

    /// Locks the rows with the keys in the list parameter 1 against changes by other transactions. The order of the
    /// keys prevents a deadlock of two transactions that lock the same rows.
    func lock(_ table: TableMapping) -> String {
      "SELECT \(key) FROM \(dialect.table(table.name)) WHERE \(key) = ANY ($1::int8[]) ORDER BY \(key) FOR NO KEY UPDATE"
    }

    /// Locks the rows with the keys in the list parameter 1 also against new references to them.
    func lockForDeletion(_ table: TableMapping) -> String {
      "SELECT \(key) FROM \(dialect.table(table.name)) WHERE \(key) = ANY ($1::int8[]) ORDER BY \(key) FOR UPDATE"
    }

    /// Reads the keys of the rows that reference rows with the keys in the list parameter 1.
    ///
    /// - Parameter locks: Whether to lock the rows against changes and new references.
    func keys(referringBy column: String, in table: String, locks: Bool = false) -> String {
      "SELECT \(key) FROM \(dialect.table(table)) WHERE \(dialect.quoted(column)) = ANY ($1::int8[])"
        + (locks ? " ORDER BY \(key) FOR UPDATE" : "")
    }

    /// Sets a numeric column of rows: the numbers and the keys of the rows are lists.
    func setNumbers(_ column: String, in table: String) -> String {
      "UPDATE \(dialect.table(table)) SET \(dialect.quoted(column)) = v.r "
        + "FROM unnest($1::float8[], $2::int8[]) AS v (r, k) WHERE \(key) = v.k"
    }

    // MARK: Link tables

    /// Inserts missing pairs in order: owners and targets are lists.
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

    /// Reads owner, target, number and position of the pairs of the owners in the list parameter 1.
    func ranks(in link: LinkTableMapping) -> String {
      let (owner, target) = (dialect.quoted(link.owner.column), dialect.quoted(link.target.column))
      let place = dialect.quoted(link.owner.positionColumn)
      return "SELECT \(owner), \(target), \(key), coalesce(\(place), \(key)::float8) FROM \(dialect.table(link.name)) "
        + "WHERE \(owner) = ANY ($1::int8[])"
    }

    /// Takes a number greater than those of all pairs.
    func nextNumber(of link: LinkTableMapping) -> String {
      "SELECT nextval(\(dialect.sequence(ofPairsIn: link.name)))"
    }

    // No column has such a name, so it cannot collide with that of a changed column.

    private func value(_ index: Int) -> String { "_osd_v._osd_\(index + 1)" }

    private func source(_ types: [SQLParameterType]) -> String {
      "unnest(\(lists(types))) AS _osd_v (\(names(types)))"
    }

    /// The last of the rows with equal keys.
    ///
    /// - Parameter key: The number of the key column.
    private func lastOfEach(_ types: [SQLParameterType], key: Int) -> String {
      let last = "_osd_\(key)"
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

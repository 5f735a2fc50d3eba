#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The variants of a statement that writes rows and compares their previous values.
  struct ComparisonForm: Sendable, Hashable {
    /// Whether the statement deletes the rows. If not, it updates them.
    let isDeletion: Bool
    let mask: UInt64
    /// Whether the statement writes one row, whose values are its parameters. If not, its parameters are arrays.
    let isSingle: Bool
    /// Whether different values may have the same stored form, so that their originals must be compared too.
    let mayHaveOriginals: Bool
    /// Whether the parameters include the originals (``OriginalNotes``) of each row, after its key.
    var writesOriginals = false
  }

  /// Creates the statements on many rows at once. Their parameters are arrays, one for each column (``PostgresBatch``).
  package struct PostgresRowStatements {
    let dialect: PostgresDialect

    package init(dialect: PostgresDialect) {
      self.dialect = dialect
    }

    var key: String { dialect.quoted(DatabaseMapping.keyColumn) }

    /// The type of the originals (``OriginalNotes``) of a row, which are an additional last parameter if any row has
    /// some.
    private static let originals = SQLParameterType.value(.json)

    /// The types of the parameters for one inserted row: the primary key, then all columns.
    package func typesOfInsertion(_ table: TableMapping) -> [SQLParameterType] {
      [.value(.reference)] + table.columns.map { .value($0.format, isUnsigned: $0.isUnsigned) }
    }

    /// The types of the parameters for one updated row: the columns in a bit mask of properties, then the primary key.
    package func typesOfUpdate(_ table: TableMapping, mask: UInt64) -> [SQLParameterType] {
      table.columns(in: mask).map { .value($0.format, isUnsigned: $0.isUnsigned) } + [.value(.reference)]
    }

    /// Inserts rows, but skips a row if another row has its unique values. Returns the keys of the inserted rows.
    package func insertMissing(into table: TableMapping, hasOriginals: Bool = false) -> String {
      dialect.insertingMissing(insert(into: table, hasOriginals: hasOriginals)) + " RETURNING \(key)"
    }

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

    /// Copies rows. A row has the primary key, all columns, any originals, and with inheritance the name of the entity.
    func copy(into table: TableMapping, hasOriginals: Bool) -> String {
      var all = [DatabaseMapping.keyColumn] + table.columns.map(\.name)
      if hasOriginals { all.append(DatabaseMapping.originalsColumn) }
      if table.entity.inheritance != nil { all.append(DatabaseMapping.entityColumn) }
      return "COPY \(dialect.table(table.name)) (\(all.map(dialect.quoted).joined(separator: ", "))) "
        + "FROM STDIN (FORMAT binary)"
    }

    /// Updates the columns in a bit mask of properties in existing rows, and returns the keys of these rows.
    ///
    /// - Parameters:
    ///   - hasOriginals: Whether the parameters include the originals of each row, after its key.
    ///   - mayRepeat: Whether the parameters may contain a key several times. Then its last values are written.
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

    /// Updates or deletes rows. Fails if a row lacks the expected values in the columns in a bit mask of properties.
    /// Column 0 of the result is the transaction ID. The statement also locks the ``PostgresSchemaMark``.
    ///
    /// The parameters of an update: the new values of the columns, the key, the originals (if any), and the expected
    /// values. For a deletion: the expected values and the key. After arrays, their length is the last parameter.
    func compare(_ table: TableMapping, _ form: ComparisonForm, _ mark: PostgresSchemaMark) -> String {
      let count =
        form.isSingle ? "1" : dialect.placeholder(typesOfComparison(table, form).count + 1, .value(.integer))
      // A division by zero makes the server abort the transaction. Any other test would need another round trip.
      return "WITH _osd_r AS (\(comparison(table, form)) RETURNING 1) SELECT pg_current_xact_id_if_assigned()::text, "
        + "1 / (count(*) = \(count))::int4, \(mark.column(never: "count(*) < 0")) FROM _osd_r"
    }

    /// Like ``compare(_:_:_:)`` for one row. Instead of failing, it returns no row if the values are not as expected.
    func compareAlone(_ table: TableMapping, _ form: ComparisonForm, _ mark: PostgresSchemaMark) -> String {
      let name = "\(dialect.quoted(table.name)).\(key)"
      return comparison(table, form) + " RETURNING pg_current_xact_id_if_assigned()::text, "
        + mark.column(never: "\(name) < 0")
    }

    func typesOfComparison(_ table: TableMapping, _ form: ComparisonForm) -> [SQLParameterType] {
      let own = typesOfUpdate(table, mask: form.mask)
      let written = own + (form.writesOriginals ? [Self.originals] : [])
      return written + (form.isDeletion ? [] : own.dropLast())
    }

    func comparison(_ table: TableMapping, _ form: ComparisonForm) -> String {
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

    /// Deletes the rows with the keys in the array parameter 1, except rows that a transaction with the ID in parameter
    /// 2 or a later ID has written last.
    ///
    /// - Parameter isRange: If true, the keys are a range: parameter 1 is the first key, and parameter 3 the last key.
    package func deleteOlder(from table: TableMapping, isRange: Bool = false) -> String {
      let (row, name) = (dialect.quoted(table.name), "\(dialect.quoted(table.name)).\(key)")
      let isMember = isRange ? "\(name) BETWEEN $1::int8 AND $3::int8" : "\(name) = ANY ($1::int8[])"
      return "DELETE FROM \(dialect.table(table.name)) WHERE \(isMember) AND age(\(row).xmin) > \(Self.age)"
    }

    /// Deletes the rows that reference one of the keys in the array parameter 1.
    ///
    /// With RETURNING, the server would read each deleted row again, which takes almost as long as the deletion.
    func delete(from table: TableMapping, referringBy column: String) -> String {
      "DELETE FROM \(dialect.table(table.name)) WHERE \(dialect.quoted(column)) = ANY ($1::int8[])"
    }

    /// Reads the keys of the rows that ``delete(from:referringBy:)`` deletes, as one array.
    func keyArray(of table: TableMapping, referringBy column: String) -> String {
      "SELECT array_agg(\(key)) FROM \(dialect.table(table.name)) "
        + "WHERE \(dialect.quoted(column)) = ANY ($1::int8[])"
    }

    /// The transaction age (`age()`) of the transaction ID in parameter 2. A row contains only the lower 32 bits of its
    /// last writer's ID, which repeat. If the ID in parameter 2 is far back, the result is the maximum age, so no row
    /// counts as older. A very old row may seem younger, and then its values are compared.
    private static let age = """
      (SELECT CASE WHEN pg_snapshot_xmax(pg_current_snapshot())::text::int8 - $2::int8 BETWEEN 0 AND 1000000000 \
      THEN age(($2::int8 & 4294967295)::text::xid) ELSE 2147483647 END)
      """

    /// Fails if a row references one of the keys in the array parameter 1. With `toItself`, a row is ignored if its own
    /// key is in the array.
    ///
    /// `min` reads the start of an index. With EXISTS, if many rows reference few, the planner would expect an early
    /// match and scan the table, although normally nothing matches. For `NOT IN`, a subquery turns the array into rows,
    /// which are hashed; an array would be searched for each row.
    package func refuseReferences(by column: String, in table: String, toItself: Bool) -> String {
      let (column, test) = (dialect.quoted(column), toItself ? " AND \(key) NOT IN (SELECT unnest($1::int8[]))" : "")
      return "SELECT 1 / (min(\(column)) IS NULL)::int4 FROM \(dialect.table(table)) "
        + "WHERE \(column) = ANY ($1::int8[])\(test)"
    }

    /// Deletes the rows with the keys in the array parameter 1. Returns the keys of the rows that existed.
    package func delete(from table: TableMapping) -> String {
      let list = dialect.placeholder(1, .list(.reference))
      return "DELETE FROM \(dialect.table(table.name)) WHERE "
        + dialect.isMember(key, ofList: list, format: .reference) + " RETURNING \(key)"
    }

    /// Locks the rows with the keys in the array parameter 1, so that other transactions cannot change them. The rows
    /// are locked in the order of their keys, so that two transactions with the same rows cannot deadlock.
    func lock(_ table: TableMapping) -> String {
      "SELECT \(key) FROM \(dialect.table(table.name)) WHERE \(key) = ANY ($1::int8[]) ORDER BY \(key) FOR NO KEY UPDATE"
    }

    /// Locks rows like ``lock(_:)``, and also prevents that other transactions add references to them.
    func lockForDeletion(_ table: TableMapping) -> String {
      "SELECT \(key) FROM \(dialect.table(table.name)) WHERE \(key) = ANY ($1::int8[]) ORDER BY \(key) FOR UPDATE"
    }

    /// Reads the keys of the rows that reference one of the keys in the array parameter 1.
    ///
    /// - Parameter locks: Whether to lock the found rows against changes and new references.
    func keys(referringBy column: String, in table: String, locks: Bool = false) -> String {
      "SELECT \(key) FROM \(dialect.table(table)) WHERE \(dialect.quoted(column)) = ANY ($1::int8[])"
        + (locks ? " ORDER BY \(key) FOR UPDATE" : "")
    }

    /// Sets a numeric column. Parameter 1 is the list of numbers, parameter 2 the list of the rows' keys.
    func setNumbers(_ column: String, in table: String) -> String {
      "UPDATE \(dialect.table(table)) SET \(dialect.quoted(column)) = v.r "
        + "FROM unnest($1::float8[], $2::int8[]) AS v (r, k) WHERE \(key) = v.k"
    }

    // MARK: Link tables

    /// Inserts missing pairs in order. Parameter 1 is the list of owners, parameter 2 the list of targets.
    func insertPairs(into link: LinkTableMapping) -> String {
      let (owner, target) = (dialect.quoted(link.owner.column), dialect.quoted(link.target.column))
      return dialect.insertingMissing(
        "INSERT INTO \(dialect.table(link.name)) (\(owner), \(target)) SELECT v.o, v.t "
          + "FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS v (o, t, n) ORDER BY v.n")
    }

    /// Deletes pairs. Parameter 1 is the list of owners, parameter 2 the list of targets.
    func deletePairs(from link: LinkTableMapping) -> String {
      "DELETE FROM \(dialect.table(link.name)) USING unnest($1::int8[], $2::int8[]) AS v (o, t) "
        + "WHERE \(dialect.quoted(link.owner.column)) = v.o AND \(dialect.quoted(link.target.column)) = v.t"
    }

    /// Reads the pairs of the owners with the keys in the array parameter 1. The columns of the result are owner,
    /// target, the pair's own key, and the position of the target in the owner's list.
    func ranks(in link: LinkTableMapping) -> String {
      let (owner, target) = (dialect.quoted(link.owner.column), dialect.quoted(link.target.column))
      let place = dialect.quoted(link.owner.positionColumn)
      return "SELECT \(owner), \(target), \(key), coalesce(\(place), \(key)::float8) FROM \(dialect.table(link.name)) "
        + "WHERE \(owner) = ANY ($1::int8[])"
    }

    /// Reserves a number that is higher than the numbers of all pairs.
    func nextNumber(of link: LinkTableMapping) -> String {
      "SELECT nextval(\(dialect.sequence(ofPairsIn: link.name)))"
    }

    // No column of a model begins with `_osd_`, so an expression with this name is unambiguous.

    private func value(_ index: Int) -> String { "_osd_v._osd_\(index + 1)" }

    private func source(_ types: [SQLParameterType]) -> String {
      "unnest(\(lists(types))) AS _osd_v (\(names(types)))"
    }

    /// A subquery that returns only the last of the rows with the same key.
    ///
    /// - Parameter key: The number of the parameter with the keys.
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

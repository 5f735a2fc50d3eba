import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Writes the statements on single rows, without predicates.
package struct RowStatements {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Reads one row by its primary key: parameter 1.
  package func lookUp(_ table: TableMapping, mask: UInt64) -> String {
    let columns = selected(table, mask: mask) + originals(table, mask: mask)
    let test = table.rowTest(includesSubentities: true, dialect: dialect).map { " AND \($0)" } ?? ""
    return "SELECT \(columns) FROM \(dialect.table(table.name)) WHERE \(key) = \(dialect.placeholder(1, .key))\(test)"
  }

  /// Inserts one row: the primary key is parameter 1, all columns follow.
  ///
  /// - Parameter hasOriginals: Whether the last parameter has the originals of the row.
  package func insert(into table: TableMapping, hasOriginals: Bool = false) -> String {
    insertion(into: table, hasOriginals: hasOriginals).sql
  }

  private func insertion(into table: TableMapping, hasOriginals: Bool = false) -> RowInsertion {
    var columns = [key] + table.columns.map { dialect.quoted($0.name) }
    var values = [dialect.placeholder(1, .key)]
    values += table.columns.enumerated().map { dialect.placeholder($0 + 2, SQLParameterType($1)) }
    if hasOriginals {
      columns.append(dialect.quoted(DatabaseMapping.originalsColumn))
      values.append(dialect.placeholder(table.columns.count + 2, .value(.json)))
    }
    if table.entity.inheritance != nil {
      columns.append(dialect.quoted(DatabaseMapping.entityColumn))
      values.append(dialect.literal(.text(StoredText.form(of: table.entity.name))))
    }
    return RowInsertion(
      table: dialect.table(table.name), source: dialect.quoted(table.name), columns: columns, values: values)
  }

  /// Inserts one row, or updates the row with the same unique values, and returns the row's primary key. In a hierarchy
  /// it also returns the row's entity name, which does not change.
  ///
  /// - Parameter hasOriginals: Whether the last parameter has the originals of the row. Otherwise the row has none.
  package func upsert(into table: TableMapping, hasOriginals: Bool = false) -> String {
    var changes = table.columns.map { "\(dialect.quoted($0.name)) = excluded.\(dialect.quoted($0.name))" }
    // As with any other change of a reference, the key of the row determines its position.
    changes += table.positionColumns.sorted { $0.key < $1.key }.map { "\(dialect.quoted($0.value)) = NULL" }
    if dialect.originalsColumn != nil {
      let name = dialect.quoted(DatabaseMapping.originalsColumn)
      changes.append("\(name) = \(hasOriginals ? "excluded.\(name)" : "NULL")")
    }
    let action = changes.isEmpty ? "\(key) = \(key)" : changes.joined(separator: ", ")
    let entity = table.entity.inheritance == nil ? [] : [dialect.quoted(DatabaseMapping.entityColumn)]
    return dialect.upsert(
      insertion(into: table, hasOriginals: hasOriginals), changes: action, returning: [key] + entity
    ) { rules(of: table) }
  }

  /// The uniqueness rules of a table, and the rows to which they apply.
  private func rules(of table: TableMapping) -> [UniquenessRule] {
    table.uniqueIndexes.map { index in
      UniquenessRule(
        columns: index.columns.map { .init(name: dialect.quoted($0), format: table.format(ofColumn: $0)) },
        test: index.entities.isEmpty ? nil : TableMapping.test(for: index.entities, dialect: dialect))
    }
  }

  /// Sets the columns of a mask, except references, to unused values, in the row with key parameter 1.
  package func vacate(_ table: TableMapping, mask: UInt64) -> String? {
    let columns = table.columns(in: mask).filter { $0.reference == nil }
    guard !columns.isEmpty else { return nil }
    let changes = columns.map { "\(dialect.quoted($0.name)) = \(dialect.uniqueValue(for: $0.format))" }
      .joined(separator: ", ")
    return "UPDATE \(dialect.table(table.name)) SET \(changes) WHERE \(key) = \(dialect.placeholder(1, .key))"
  }

  /// Changes references to the row with key parameter 1 into references to the row with key parameter 2.
  package func redirect(_ table: TableMapping, at position: Int) -> String {
    let column = table.columns(of: position).first.map { dialect.quoted($0.name) } ?? key
    return "UPDATE \(dialect.table(table.name)) SET \(column) = \(dialect.placeholder(2, .key)) "
      + "WHERE \(column) = \(dialect.placeholder(1, .key))"
  }

  /// Clears all references to the row with key parameter 1.
  package func clear(_ table: TableMapping, at position: Int) -> String? {
    guard let column = table.columns(of: position).first(where: \.isOptional).map({ dialect.quoted($0.name) }) else {
      return nil
    }
    return "UPDATE \(dialect.table(table.name)) SET \(column) = NULL WHERE \(column) = \(dialect.placeholder(1, .key))"
  }

  /// Updates the columns of a mask in one row: the columns come first, the primary key is the last parameter.
  package func update(_ table: TableMapping, mask: UInt64) -> String {
    let changes = changes(of: table, mask: mask) { dialect.placeholder($0 + 1, SQLParameterType($1)) }
    return "UPDATE \(dialect.table(table.name)) SET \(changes.joined(separator: ", ")) "
      + "WHERE \(key) = \(dialect.placeholder(table.columns(in: mask).count + 1, .key))"
  }

  /// The assignments of an UPDATE of the columns of a mask.
  ///
  /// - Parameters:
  ///   - originals: The parameter with the originals of the values, if rows have a column for them; nil for none.
  ///   - written: The value of a column, by its index among the columns.
  package func changes(
    of table: TableMapping, mask: UInt64, originals: String? = nil, written: (Int, ColumnMapping) -> String
  ) -> [String] {
    let columns = table.columns(in: mask)
    var changes = columns.enumerated().map { "\(dialect.quoted($1.name)) = \(written($0, $1))" }
    // A row with a changed reference is positioned by its key.
    for (position, name) in table.positionColumns.sorted(by: { $0.key < $1.key })
    where PropertyMask.bit(position) & mask != 0 {
      changes.append("\(dialect.quoted(name)) = \(rank(at: position, dialect.quoted(name), columns, table, written))")
    }
    let names = columns.filter(\.mayHaveOriginals).map(\.name)
    if let writer = dialect.originalsColumn, !names.isEmpty {
      // Another value may have the same stored form and its own original.
      let value = writer.replacing(names, with: originals)
      changes.append("\(dialect.quoted(DatabaseMapping.originalsColumn)) = \(value)")
    }
    // The UPDATE must assign something to find out whether the row exists.
    return changes.isEmpty ? ["\(key) = \(key)"] : changes
  }

  /// The position of a row whose reference is written. References that share a bit of the mask are written together, so
  /// this reference may be unchanged; the row then keeps its position.
  private func rank(
    at position: Int, _ rank: String, _ columns: [ColumnMapping], _ table: TableMapping,
    _ written: (Int, ColumnMapping) -> String
  ) -> String {
    guard position >= PropertyMask.sharedPosition, let reference = table.columns(of: position).first,
      let index = columns.firstIndex(where: { $0.name == reference.name })
    else { return "NULL" }
    return "CASE WHEN \(dialect.isSame(dialect.quoted(reference.name), written(index, reference))) THEN \(rank) END"
  }

  /// Sets the position of the row with key parameter 2, in the to-many relationship of its owner, to parameter 1.
  package func setPosition(in table: TableMapping, at position: Int) -> String {
    let column = table.positionColumns[position].map(dialect.quoted) ?? key
    return "UPDATE \(dialect.table(table.name)) SET \(column) = \(dialect.placeholder(1, .value(.real))) "
      + "WHERE \(key) = \(dialect.placeholder(2, .key))"
  }

  /// Reads the rows with the keys in the list parameter 1.
  package func lookUpSeveral(_ table: TableMapping, mask: UInt64) -> String {
    let isWanted = dialect.isMember(key, ofList: dialect.placeholder(1, .list(.reference)), format: .reference)
    let test = table.rowTest(includesSubentities: true, dialect: dialect).map { " AND \($0)" } ?? ""
    let columns = selected(table, mask: mask) + originals(table, mask: mask)
    return "SELECT \(columns) FROM \(dialect.table(table.name)) WHERE \(isWanted)\(test)"
  }

  /// Deletes the row with the primary key parameter 1.
  package func delete(from table: TableMapping) -> String {
    "DELETE FROM \(dialect.table(table.name)) WHERE \(key) = \(dialect.placeholder(1, .key))"
  }

  /// Deletes every row.
  package func deleteAll(from name: String) -> String {
    "DELETE FROM \(dialect.table(name))"
  }

  /// Reads the greatest primary key in a table.
  package func greatestKey(ofTableNamed table: String) -> String {
    "SELECT max(\(key)) FROM \(dialect.table(table))"
  }

  /// The primary key and the columns of a mask, as a column list; in a hierarchy also the columns of subentities and
  /// the name of the row's entity.
  ///
  /// - Parameter source: The qualifier of each column, including the dot.
  func selected(
    _ table: TableMapping, mask: UInt64, includesSubentities: Bool = true, from source: String = ""
  ) -> String {
    var names = [DatabaseMapping.keyColumn]
    names += Self.selectedColumns(table, mask: mask, includesSubentities: includesSubentities).map(\.name)
    if table.entity.inheritance != nil { names.append(DatabaseMapping.entityColumn) }
    return names.map { source + dialect.quoted($0) }.joined(separator: ", ")
  }

  /// The originals column, to be read last, if the dialect has one and the columns read may have originals; else
  /// nothing.
  func originals(
    _ table: TableMapping, mask: UInt64, includesSubentities: Bool = true, from source: String = ""
  ) -> String {
    guard dialect.originalsColumn != nil,
      Self.selectedColumns(table, mask: mask, includesSubentities: includesSubentities)
        .contains(where: \.mayHaveOriginals)
    else { return "" }
    return ", \(source)\(dialect.quoted(DatabaseMapping.originalsColumn))"
  }

  /// The columns of a mask in order, as they follow the primary key.
  package static func selectedColumns(
    _ table: TableMapping, mask: UInt64, includesSubentities: Bool = true
  ) -> [ColumnMapping] {
    var columns = table.columns(in: mask)
    for subtable in includesSubentities ? table.subtables : [] {
      let wanted = table.entity.mask(of: subtable.entity, wanted: mask)
      columns += subtable.ownColumns.filter { $0.bit & wanted != 0 }
    }
    return columns
  }

  private var key: String { dialect.quoted(DatabaseMapping.keyColumn) }
}

/// Writes the statements that read the members of relationships.
package struct MemberStatements {
  /// The owners whose members a statement reads.
  package enum Scope: Sendable, Hashable {
    /// The members of the owner with key parameter 1.
    case one
    /// The members of the owners with the keys in the list parameter 1.
    case some
    case all
  }

  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Members that reference their owner by a column of their own, unordered. The reader sorts them by their positions.
  ///
  /// - Parameters:
  ///   - mask: The properties whose columns are read.
  ///   - repeatsOwner: Whether the owner's key is read again after the columns.
  package func referring(
    _ table: TableMapping, at position: Int, _ scope: Scope, mask: UInt64, repeatsOwner: Bool
  ) -> String {
    guard let column = table.columns(of: position).first.map({ dialect.quoted($0.name) }) else { return "" }
    let rank = table.positionColumns[position].map(dialect.quoted) ?? "NULL"
    let rows = RowStatements(dialect: dialect)
    let (selected, originals) = (rows.selected(table, mask: mask), rows.originals(table, mask: mask))
    let source = dialect.table(table.name)
    let start = "SELECT \(selected)\(repeatsOwner ? ", \(column)" : ""), \(rank)\(originals) FROM \(source)"
    // A sequential scan in physical order is faster than finding every row by an index.
    if scope == .all { return start + dialect.endToEndHint }
    return "\(start) WHERE \(condition(on: column, scope))"
  }

  /// Members that a link table connects with their owner, in order.
  ///
  /// - Parameter mayHaveDoubles: Whether a pair may occur twice. It is then read once, at its first position.
  package func paired(
    _ table: TableMapping, by link: LinkTableMapping, _ scope: Scope, mayHaveDoubles: Bool = false
  ) -> String {
    let rows = RowStatements(dialect: dialect)
    let columns = rows.selected(table, mask: PropertyMask.all, from: "t.")
    let originals = rows.originals(table, mask: PropertyMask.all, from: "t.")
    let owner = "l.\(dialect.quoted(link.owner.column))"
    let rank = PairStatements(dialect: dialect).rank(in: link, as: "l")
    let conditions = (scope == .all ? [] : [condition(on: owner, scope)]) + (mayHaveDoubles ? [isFirst(in: link)] : [])
    let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    return "SELECT \(columns), \(owner), NULL\(originals) FROM \(dialect.table(link.name)) AS l "
      + "JOIN \(dialect.table(table.name)) AS t ON t.\(dialect.quoted(DatabaseMapping.keyColumn)) = "
      + "l.\(dialect.quoted(link.target.column))\(filter) ORDER BY \(rank)"
  }

  /// The condition that the table has no equal pair with a lower key than the pair `l`.
  private func isFirst(in link: LinkTableMapping) -> String {
    let sides = [link.owner.column, link.target.column].map(dialect.quoted)
    let key = dialect.quoted(LinkTableMapping.keyColumn)
    let isAlike = sides.map { "o.\($0) = l.\($0)" }.joined(separator: " AND ")
    return "NOT EXISTS (SELECT 1 FROM \(dialect.table(link.name)) AS o WHERE \(isAlike) AND o.\(key) < l.\(key))"
  }

  /// The pairs of a relationship for the owners in the list parameter 1: keys of owners and related rows.
  package func pairs(
    of relationship: RelationshipLayout, owners: TableMapping, destination: TableMapping, link: LinkTableMapping?
  ) -> String? {
    if let link {
      return pairs(link.owner.column, link.target.column, from: link.name)
    }
    if let own = owners.columns(of: relationship.position).first {
      let reading = pairs(DatabaseMapping.keyColumn, own.name, from: owners.name)
      return "\(reading) AND \(dialect.quoted(own.name)) IS NOT NULL"
    }
    guard let inverse = relationship.inverse, let column = destination.columns(of: inverse.position).first else {
      return nil
    }
    return pairs(column.name, DatabaseMapping.keyColumn, from: destination.name)
  }

  private func pairs(_ owner: String, _ target: String, from table: String) -> String {
    "SELECT \(dialect.quoted(owner)), \(dialect.quoted(target)) FROM \(dialect.table(table)) "
      + "WHERE \(condition(on: dialect.quoted(owner), .some))"
  }

  private func condition(on column: String, _ scope: Scope) -> String {
    scope == .one
      ? "\(column) = \(dialect.placeholder(1, .key))"
      : dialect.isMember(column, ofList: dialect.placeholder(1, .list(.reference)), format: .reference)
  }
}

/// Writes the statements on link tables.
package struct PairStatements {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Inserts a pair unless it exists. The parameters are the owner, the target and the key of the pair.
  package func insert(into link: LinkTableMapping) -> String {
    dialect.insertingMissing(
      "INSERT INTO \(dialect.table(link.name)) (\(owner(link)), \(target(link)), \(key)) "
        + "VALUES (\([1, 2, 3].map { dialect.placeholder($0, .key) }.joined(separator: ", ")))")
  }

  /// Deletes the pair of owner and target.
  package func delete(from link: LinkTableMapping) -> String {
    "DELETE FROM \(dialect.table(link.name)) "
      + "WHERE \(owner(link)) = \(dialect.placeholder(1, .key)) AND \(target(link)) = \(dialect.placeholder(2, .key))"
  }

  /// Deletes all pairs of the row with key parameter 1, on one side of the relationship.
  package func deleteAll(from link: LinkTableMapping, of side: LinkTableMapping.Side) -> String {
    "DELETE FROM \(dialect.table(link.name)) WHERE \(dialect.quoted(side.column)) = \(dialect.placeholder(1, .key))"
  }

  /// Reads the target, key and position of every pair of the owner with key parameter 1.
  package func ranks(in link: LinkTableMapping) -> String {
    "SELECT \(target(link)), \(key), \(rank(in: link, as: nil)) FROM \(dialect.table(link.name)) "
      + "WHERE \(owner(link)) = \(dialect.placeholder(1, .key))"
  }

  /// Sets the position of the pair with key parameter 2, from the view of its owner, to parameter 1.
  package func setRank(in link: LinkTableMapping) -> String {
    "UPDATE \(dialect.table(link.name)) "
      + "SET \(dialect.quoted(link.owner.positionColumn)) = \(dialect.placeholder(1, .value(.real))) "
      + "WHERE \(key) = \(dialect.placeholder(2, .key))"
  }

  /// The position of a pair's target in the relationship of the owner.
  func rank(in link: LinkTableMapping, as alias: String?) -> String {
    let prefix = alias.map { $0 + "." } ?? ""
    return "coalesce(\(prefix)\(dialect.quoted(link.owner.positionColumn)), \(prefix)\(key))"
  }

  private func owner(_ link: LinkTableMapping) -> String { dialect.quoted(link.owner.column) }
  private func target(_ link: LinkTableMapping) -> String { dialect.quoted(link.target.column) }
  private var key: String { dialect.quoted(LinkTableMapping.keyColumn) }
}

/// Writes the statements on the table of originals, for dialects without a column for them: values that differ from
/// their stored form (``OriginalNotes``).
///
/// An entry has the table name, the row key, the column name and the original. Nearly every store has none.
package struct OriginalStatements {
  package static let tableName = DatabaseMapping.ownPrefix + "originals"

  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  var name: String { dialect.table(Self.tableName) }
  var table: String { dialect.quoted("table") }
  var key: String { dialect.quoted("key") }
  var column: String { dialect.quoted("column") }
  var original: String { dialect.quoted("original") }

  /// Reads the first table name that is greater than parameter 1, or NULL.
  package var nextTable: String {
    "SELECT min(\(table)) FROM \(name) WHERE \(table) > \(text(1))"
  }

  /// Reads the column names and originals of the row with key parameter 2 in table parameter 1.
  package var lookUp: String {
    "SELECT \(column), \(original) FROM \(name) WHERE \(ofTable) AND \(key) = \(dialect.placeholder(2, .key))"
  }

  /// Reads keys of rows with originals in table parameter 1, at most parameter 2 of them.
  package var keys: String {
    "SELECT DISTINCT \(key) FROM \(name) WHERE \(ofTable) "
      + dialect.limitClause(limit: dialect.placeholder(2, .value(.integer)), offset: nil)
  }

  /// Stores an original: table, key, column and original are the parameters.
  package var store: String {
    let values = [text(1), dialect.placeholder(2, .key), text(3), text(4)]
    return "INSERT INTO \(name) (\(table), \(key), \(column), \(original)) VALUES (\(values.joined(separator: ", "))) "
      + "ON CONFLICT (\(table), \(key), \(column)) DO UPDATE SET \(original) = excluded.\(original)"
  }

  /// Removes the originals of the rows with the keys in the list parameter 2, in table parameter 1.
  ///
  /// - Parameter columns: The columns; nil for all.
  package func remove(columns: [String]? = nil) -> String {
    let test = columns.map { " AND \(isColumn(in: $0))" } ?? ""
    let isWanted = dialect.isMember(key, ofList: dialect.placeholder(2, .list(.reference)), format: .reference)
    return "DELETE FROM \(name) WHERE \(ofTable) AND \(isWanted)\(test)"
  }

  private var ofTable: String { "\(table) = \(text(1))" }

  private func text(_ number: Int) -> String { dialect.placeholder(number, .value(.text)) }

  func isColumn(in names: [String]) -> String {
    "\(column) IN (\(names.map { dialect.literal(.text($0)) }.joined(separator: ", ")))"
  }
}

extension String {
  /// The text in quotes, with each quote in it doubled, as SQL writes texts and names.
  ///
  /// It works byte by byte: a quote with a combining mark is another character in Swift, but still a quote in SQL.
  ///
  /// - Parameter quote: An ASCII character.
  package func quoted(by quote: String) -> String {
    guard let mark = quote.utf8.first, utf8.contains(mark) else { return quote + self + quote }
    var bytes = [mark]
    bytes.reserveCapacity(utf8.count + 8)
    for byte in utf8 {
      if byte == mark { bytes.append(mark) }
      bytes.append(byte)
    }
    return String(decoding: bytes + [mark], as: UTF8.self)
  }
}

extension Data {
  /// Two hexadecimal digits for each byte.
  package var hexadecimalDigits: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

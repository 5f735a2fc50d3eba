import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Writes the statements that read and write rows by primary key, without predicates.
package struct RowStatements {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Reads the row whose primary key is parameter 1.
  package func lookUp(_ table: TableMapping, mask: UInt64) -> String {
    let columns = selected(table, mask: mask) + originals(table, mask: mask)
    let test = table.rowTest(includesSubentities: true, dialect: dialect).map { " AND \($0)" } ?? ""
    return "SELECT \(columns) FROM \(dialect.table(table.name)) WHERE \(key) = \(dialect.placeholder(1, .key))\(test)"
  }

  /// Inserts a row. Parameter 1 is the primary key. The values of all columns follow.
  ///
  /// - Parameter hasOriginals: Whether another parameter contains the row's originals (values before normalisation).
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

  /// Inserts a row. If another row has the same unique values, updates that row instead. Returns the primary key of the
  /// written row and, in a class hierarchy, the name of its entity, which an update does not change.
  ///
  /// - Parameter hasOriginals: Whether the last parameter contains the row's originals. If not, the previous ones are
  ///   removed.
  package func upsert(into table: TableMapping, hasOriginals: Bool = false) -> String {
    var changes = table.columns.map { "\(dialect.quoted($0.name)) = excluded.\(dialect.quoted($0.name))" }
    // The row may move to another owner's list, so its position is removed. The row is then sorted by its key.
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

  /// The uniqueness rules of a table, with the conditions of the rows to which they apply.
  private func rules(of table: TableMapping) -> [UniquenessRule] {
    table.uniqueIndexes.map { index in
      UniquenessRule(
        columns: index.columns.map { .init(name: dialect.quoted($0), format: table.format(ofColumn: $0)) },
        test: index.entities.isEmpty ? nil : TableMapping.test(for: index.entities, dialect: dialect))
    }
  }

  /// Sets the columns in `mask`, except foreign keys, to values that no row has, in the row whose key is parameter 1.
  package func vacate(_ table: TableMapping, mask: UInt64) -> String? {
    let columns = table.columns(in: mask).filter { $0.reference == nil }
    guard !columns.isEmpty else { return nil }
    let changes = columns.map { "\(dialect.quoted($0.name)) = \(dialect.uniqueValue(for: $0.format))" }
      .joined(separator: ", ")
    return "UPDATE \(dialect.table(table.name)) SET \(changes) WHERE \(key) = \(dialect.placeholder(1, .key))"
  }

  /// Sets the foreign keys that contain the key in parameter 1 to the key in parameter 2.
  package func redirect(_ table: TableMapping, at position: Int) -> String {
    let column = table.columns(of: position).first.map { dialect.quoted($0.name) } ?? key
    return "UPDATE \(dialect.table(table.name)) SET \(column) = \(dialect.placeholder(2, .key)) "
      + "WHERE \(column) = \(dialect.placeholder(1, .key))"
  }

  /// Sets the foreign keys that contain the key in parameter 1 to NULL; nil if the column is required.
  package func clear(_ table: TableMapping, at position: Int) -> String? {
    guard let column = table.columns(of: position).first(where: \.isOptional).map({ dialect.quoted($0.name) }) else {
      return nil
    }
    return "UPDATE \(dialect.table(table.name)) SET \(column) = NULL WHERE \(column) = \(dialect.placeholder(1, .key))"
  }

  /// Updates the columns of the properties in `mask` in one row. The last parameter is the primary key.
  package func update(_ table: TableMapping, mask: UInt64) -> String {
    let changes = changes(of: table, mask: mask) { dialect.placeholder($0 + 1, SQLParameterType($1)) }
    return "UPDATE \(dialect.table(table.name)) SET \(changes.joined(separator: ", ")) "
      + "WHERE \(key) = \(dialect.placeholder(table.columns(in: mask).count + 1, .key))"
  }

  /// The assignments of an UPDATE that sets the columns of the properties in `mask`.
  ///
  /// - Parameters:
  ///   - originals: A parameter with the originals of the new values (before normalisation); nil for none.
  ///   - written: Returns the new value of a column, which has the given index among the written columns.
  package func changes(
    of table: TableMapping, mask: UInt64, originals: String? = nil, written: (Int, ColumnMapping) -> String
  ) -> [String] {
    let columns = table.columns(in: mask)
    var changes = columns.enumerated().map { "\(dialect.quoted($1.name)) = \(written($0, $1))" }
    // If the row moves to another owner's list, its position is removed. The row is then sorted by its key.
    for (position, name) in table.positionColumns.sorted(by: { $0.key < $1.key })
    where PropertyMask.bit(position) & mask != 0 {
      changes.append("\(dialect.quoted(name)) = \(rank(at: position, dialect.quoted(name), columns, table, written))")
    }
    let names = columns.filter(\.mayHaveOriginals).map(\.name)
    if let writer = dialect.originalsColumn, !names.isEmpty {
      // Removes the originals of the old values even if the stored form stays: the new original may differ.
      let value = writer.replacing(names, with: originals)
      changes.append("\(dialect.quoted(DatabaseMapping.originalsColumn)) = \(value)")
    }
    // If there are no columns, assigns the key to itself, because the UPDATE also finds out whether the row exists.
    return changes.isEmpty ? ["\(key) = \(key)"] : changes
  }

  /// The new position of a row whose reference to an owner is written. All properties after the first 63 share one bit
  /// of the mask and are written together, so the reference may be unchanged. In that case the row keeps its position.
  private func rank(
    at position: Int, _ rank: String, _ columns: [ColumnMapping], _ table: TableMapping,
    _ written: (Int, ColumnMapping) -> String
  ) -> String {
    guard position >= PropertyMask.sharedPosition, let reference = table.columns(of: position).first,
      let index = columns.firstIndex(where: { $0.name == reference.name })
    else { return "NULL" }
    return "CASE WHEN \(dialect.isSame(dialect.quoted(reference.name), written(index, reference))) THEN \(rank) END"
  }

  /// Sets the position, in the list of its owner, of the row whose key is parameter 2. Parameter 1 is the position.
  package func setPosition(in table: TableMapping, at position: Int) -> String {
    let column = table.positionColumns[position].map(dialect.quoted) ?? key
    return "UPDATE \(dialect.table(table.name)) SET \(column) = \(dialect.placeholder(1, .value(.real))) "
      + "WHERE \(key) = \(dialect.placeholder(2, .key))"
  }

  /// Reads the rows whose keys are in a list, which is parameter 1.
  package func lookUpSeveral(_ table: TableMapping, mask: UInt64) -> String {
    let isWanted = dialect.isMember(key, ofList: dialect.placeholder(1, .list(.reference)), format: .reference)
    let test = table.rowTest(includesSubentities: true, dialect: dialect).map { " AND \($0)" } ?? ""
    let columns = selected(table, mask: mask) + originals(table, mask: mask)
    return "SELECT \(columns) FROM \(dialect.table(table.name)) WHERE \(isWanted)\(test)"
  }

  /// Deletes the row whose primary key is parameter 1.
  package func delete(from table: TableMapping) -> String {
    "DELETE FROM \(dialect.table(table.name)) WHERE \(key) = \(dialect.placeholder(1, .key))"
  }

  /// Deletes all rows.
  package func deleteAll(from name: String) -> String {
    "DELETE FROM \(dialect.table(name))"
  }

  /// Reads the greatest primary key of a table.
  package func greatestKey(ofTableNamed table: String) -> String {
    "SELECT max(\(key)) FROM \(dialect.table(table))"
  }

  /// The SELECT list: the primary key and the columns of a mask. In a class hierarchy, it also contains the columns of
  /// subentities and the name of the row's entity.
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

  /// The column of originals, which is read last. Empty if the dialect has no such column, or if none of the selected
  /// columns can have originals.
  func originals(
    _ table: TableMapping, mask: UInt64, includesSubentities: Bool = true, from source: String = ""
  ) -> String {
    guard dialect.originalsColumn != nil,
      Self.selectedColumns(table, mask: mask, includesSubentities: includesSubentities)
        .contains(where: \.mayHaveOriginals)
    else { return "" }
    return ", \(source)\(dialect.quoted(DatabaseMapping.originalsColumn))"
  }

  /// The columns of the properties in `mask`, in the order in which they follow the primary key in a result.
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

  /// Deletes the rows that refer, in a column, to the row whose key is parameter 1.
  package func delete(from table: TableMapping, referringBy column: String) -> String {
    "DELETE FROM \(dialect.table(table.name)) WHERE \(dialect.quoted(column)) = \(dialect.placeholder(1, .key))"
  }

  private var key: String { dialect.quoted(DatabaseMapping.keyColumn) }
}

/// Writes the statements that read the members (related rows) of to-many relationships.
package struct MemberStatements {
  /// The owners whose members a statement reads.
  package enum Scope: Sendable, Hashable {
    /// The owner whose key is parameter 1.
    case one
    /// The owners whose keys are in a list, which is parameter 1.
    case some
    case all
  }

  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Reads members that refer to their owner by a foreign key. The caller sorts them by position.
  ///
  /// - Parameters:
  ///   - mask: The properties whose columns are read.
  ///   - repeatsOwner: Whether the key of the owner is read a second time, behind the columns.
  package func referring(
    _ table: TableMapping, at position: Int, _ scope: Scope, mask: UInt64, repeatsOwner: Bool
  ) -> String {
    guard let column = table.columns(of: position).first.map({ dialect.quoted($0.name) }) else { return "" }
    let rank = table.positionColumns[position].map(dialect.quoted) ?? "NULL"
    let rows = RowStatements(dialect: dialect)
    let (selected, originals) = (rows.selected(table, mask: mask), rows.originals(table, mask: mask))
    let source = dialect.table(table.name)
    let start = "SELECT \(selected)\(repeatsOwner ? ", \(column)" : ""), \(rank)\(originals) FROM \(source)"
    // Reading the whole table in physical order is faster than finding each row by an index.
    if scope == .all { return start + dialect.endToEndHint }
    return "\(start) WHERE \(condition(on: column, scope))"
  }

  /// Reads members that a link table connects with their owner, sorted by position.
  ///
  /// - Parameter mayHaveDoubles: Whether a pair may occur twice. If so, only the pair with the lowest key is read.
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

  /// The condition that no other pair connects the same two rows and has a lower key than the pair `l`.
  private func isFirst(in link: LinkTableMapping) -> String {
    let sides = [link.owner.column, link.target.column].map(dialect.quoted)
    let key = dialect.quoted(LinkTableMapping.keyColumn)
    let isAlike = sides.map { "o.\($0) = l.\($0)" }.joined(separator: " AND ")
    return "NOT EXISTS (SELECT 1 FROM \(dialect.table(link.name)) AS o WHERE \(isAlike) AND o.\(key) < l.\(key))"
  }

  /// Reads the pairs of a relationship, as keys of owners and of members. Parameter 1 is a list of the owners' keys.
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

/// Writes the statements that read and write link tables, which store the pairs of many-to-many relationships.
package struct PairStatements {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Inserts a pair, unless it exists. The parameters are the keys of the owner, of the target and of the pair.
  package func insert(into link: LinkTableMapping) -> String {
    dialect.insertingMissing(
      "INSERT INTO \(dialect.table(link.name)) (\(owner(link)), \(target(link)), \(key)) "
        + "VALUES (\([1, 2, 3].map { dialect.placeholder($0, .key) }.joined(separator: ", ")))")
  }

  /// Deletes a pair. The parameters are the keys of the owner and of the target.
  package func delete(from link: LinkTableMapping) -> String {
    "DELETE FROM \(dialect.table(link.name)) "
      + "WHERE \(owner(link)) = \(dialect.placeholder(1, .key)) AND \(target(link)) = \(dialect.placeholder(2, .key))"
  }

  /// Deletes all pairs with the row whose key is parameter 1 on one side.
  package func deleteAll(from link: LinkTableMapping, of side: LinkTableMapping.Side) -> String {
    "DELETE FROM \(dialect.table(link.name)) WHERE \(dialect.quoted(side.column)) = \(dialect.placeholder(1, .key))"
  }

  /// Reads the target, the key and the position of each pair of the owner whose key is parameter 1.
  package func ranks(in link: LinkTableMapping) -> String {
    "SELECT \(target(link)), \(key), \(rank(in: link, as: nil)) FROM \(dialect.table(link.name)) "
      + "WHERE \(owner(link)) = \(dialect.placeholder(1, .key))"
  }

  /// Sets the position, in the owner's list, of the pair whose key is parameter 2. Parameter 1 is the position.
  package func setRank(in link: LinkTableMapping) -> String {
    "UPDATE \(dialect.table(link.name)) "
      + "SET \(dialect.quoted(link.owner.positionColumn)) = \(dialect.placeholder(1, .value(.real))) "
      + "WHERE \(key) = \(dialect.placeholder(2, .key))"
  }

  /// The expression for the position of a pair's target in the list of the owner.
  func rank(in link: LinkTableMapping, as alias: String?) -> String {
    let prefix = alias.map { $0 + "." } ?? ""
    return "coalesce(\(prefix)\(dialect.quoted(link.owner.positionColumn)), \(prefix)\(key))"
  }

  private func owner(_ link: LinkTableMapping) -> String { dialect.quoted(link.owner.column) }
  private func target(_ link: LinkTableMapping) -> String { dialect.quoted(link.target.column) }
  private var key: String { dialect.quoted(LinkTableMapping.keyColumn) }
}

/// Writes the statements on the table of originals, the values that differ from their stored form (``OriginalNotes``).
/// Dialects that store originals in a column of the row do not have this table.
///
/// An entry has the table name, the key of the row, the column name and the original. Few stores have any entries.
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

  /// Reads the first table name that is greater than parameter 1; NULL if there is none.
  package var nextTable: String {
    "SELECT min(\(table)) FROM \(name) WHERE \(table) > \(text(1))"
  }

  /// Reads the column names and the originals of one row. Parameter 1 is the table, parameter 2 the key of the row.
  package var lookUp: String {
    "SELECT \(column), \(original) FROM \(name) WHERE \(ofTable) AND \(key) = \(dialect.placeholder(2, .key))"
  }

  /// Reads the keys of rows that have originals. Parameter 1 is the table, parameter 2 the maximum number of keys.
  package var keys: String {
    "SELECT DISTINCT \(key) FROM \(name) WHERE \(ofTable) "
      + dialect.limitClause(limit: dialect.placeholder(2, .value(.integer)), offset: nil)
  }

  /// Stores an original. The parameters are the table, the key of the row, the column and the original.
  package var store: String {
    let values = [text(1), dialect.placeholder(2, .key), text(3), text(4)]
    return "INSERT INTO \(name) (\(table), \(key), \(column), \(original)) VALUES (\(values.joined(separator: ", "))) "
      + "ON CONFLICT (\(table), \(key), \(column)) DO UPDATE SET \(original) = excluded.\(original)"
  }

  /// Removes originals of rows. Parameter 1 is the table, parameter 2 a list of the rows' keys.
  ///
  /// - Parameter columns: The columns whose originals are removed; nil for all columns.
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
  /// The text in quotes, as SQL writes texts and names. Each quote in the text is doubled.
  ///
  /// The method works on bytes. A quote with a combining mark is another character in Swift, but still a quote in SQL.
  ///
  /// - Parameter quote: The quote, an ASCII character.
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
  /// The bytes as hexadecimal text, with two digits for each byte.
  package var hexadecimalDigits: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Writes the statements on single rows, which know nothing of predicates.
package struct RowStatements {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Reads one row by its primary key, which is parameter 1.
  package func lookUp(_ table: TableMapping, mask: UInt64) -> String {
    let columns = selected(table, mask: mask)
    let test = table.rowTest(includesSubentities: true, dialect: dialect).map { " AND \($0)" } ?? ""
    return "SELECT \(columns) FROM \(dialect.table(table.name)) WHERE \(key) = \(dialect.placeholder(1, .key))\(test)"
  }

  /// Inserts one row: the primary key is parameter 1, all columns follow.
  package func insert(into table: TableMapping) -> String {
    var columns = [key] + table.columns.map { dialect.quoted($0.name) }
    var values = [dialect.placeholder(1, .key)]
    values += table.columns.enumerated().map { dialect.placeholder($0 + 2, SQLParameterType($1)) }
    if table.entity.inheritance != nil {
      columns.append(dialect.quoted(DatabaseMapping.entityColumn))
      values.append(dialect.literal(.text(StoredText.form(of: table.entity.name))))
    }
    return "INSERT INTO \(dialect.table(table.name)) (\(columns.joined(separator: ", "))) "
      + "VALUES (\(values.joined(separator: ", ")))"
  }

  /// Inserts one row, or gives its values to the row that has its unique ones, and returns the primary key of either; in a
  /// hierarchy with the name of the row's entity, which stays what it was.
  package func upsert(into table: TableMapping) -> String {
    var changes = table.columns.map { "\(dialect.quoted($0.name)) = excluded.\(dialect.quoted($0.name))" }
    // As with any other change of a reference: the row stands where its key puts it.
    changes += table.positionColumns.sorted { $0.key < $1.key }.map { "\(dialect.quoted($0.value)) = NULL" }
    let action = changes.isEmpty ? "\(key) = \(key)" : changes.joined(separator: ", ")
    let entity = table.entity.inheritance == nil ? "" : ", \(dialect.quoted(DatabaseMapping.entityColumn))"
    return dialect.upsert(insert(into: table), changes: action, returning: key + entity) { rules(of: table) }
  }

  /// What must be unique in a table, and in which rows.
  private func rules(of table: TableMapping) -> [String] {
    table.uniqueIndexes.map { index in
      let terms = index.columns.map { dialect.indexed(dialect.quoted($0), format: table.format(ofColumn: $0)) }
      let test = index.entities.isEmpty ? "" : " WHERE \(TableMapping.test(for: index.entities, dialect: dialect))"
      return "(\(terms.joined(separator: ", ")))\(test)"
    }
  }

  /// Gives the columns of a mask, but for references, values that no row has, in the row that is parameter 1.
  package func vacate(_ table: TableMapping, mask: UInt64) -> String? {
    let columns = table.columns(in: mask).filter { $0.reference == nil }
    guard !columns.isEmpty else { return nil }
    let changes = columns.map { "\(dialect.quoted($0.name)) = \(dialect.uniqueValue(for: $0.format))" }
      .joined(separator: ", ")
    return "UPDATE \(dialect.table(table.name)) SET \(changes) WHERE \(key) = \(dialect.placeholder(1, .key))"
  }

  /// Makes references to the row in parameter 1 references to the row in parameter 2.
  package func redirect(_ table: TableMapping, at position: Int) -> String {
    let column = table.columns(of: position).first.map { dialect.quoted($0.name) } ?? key
    return "UPDATE \(dialect.table(table.name)) SET \(column) = \(dialect.placeholder(2, .key)) "
      + "WHERE \(column) = \(dialect.placeholder(1, .key))"
  }

  /// Empties a reference to the row in parameter 1, in whatever rows have it.
  package func clear(_ table: TableMapping, at position: Int) -> String? {
    guard let column = table.columns(of: position).first(where: \.isOptional).map({ dialect.quoted($0.name) }) else {
      return nil
    }
    return "UPDATE \(dialect.table(table.name)) SET \(column) = NULL WHERE \(column) = \(dialect.placeholder(1, .key))"
  }

  /// Changes the columns of a mask in one row: the columns come first, the primary key is the last parameter.
  package func update(_ table: TableMapping, mask: UInt64) -> String {
    let columns = table.columns(in: mask)
    var changes = columns.enumerated().map {
      "\(dialect.quoted($1.name)) = \(dialect.placeholder($0 + 1, SQLParameterType($1)))"
    }
    // A row that refers to another one now stands where its key puts it.
    for (position, name) in table.positionColumns.sorted(by: { $0.key < $1.key })
    where PropertyMask.bit(position) & mask != 0 {
      changes.append("\(dialect.quoted(name)) = NULL")
    }
    // A statement must change something to find out whether the row exists.
    if changes.isEmpty { changes = ["\(key) = \(key)"] }
    return "UPDATE \(dialect.table(table.name)) SET \(changes.joined(separator: ", ")) "
      + "WHERE \(key) = \(dialect.placeholder(columns.count + 1, .key))"
  }

  /// Gives the row whose key is parameter 2 the place in parameter 1 in the relationship that leads to it.
  package func setPosition(in table: TableMapping, at position: Int) -> String {
    let column = table.positionColumns[position].map(dialect.quoted) ?? key
    return "UPDATE \(dialect.table(table.name)) SET \(column) = \(dialect.placeholder(1, .value(.real))) "
      + "WHERE \(key) = \(dialect.placeholder(2, .key))"
  }

  /// Reads the rows whose keys are in the list that is parameter 1.
  package func lookUpSeveral(_ table: TableMapping, mask: UInt64) -> String {
    let isWanted = dialect.isMember(key, ofList: dialect.placeholder(1, .list(.reference)), format: .reference)
    let test = table.rowTest(includesSubentities: true, dialect: dialect).map { " AND \($0)" } ?? ""
    return "SELECT \(selected(table, mask: mask)) FROM \(dialect.table(table.name)) WHERE \(isWanted)\(test)"
  }

  /// Deletes one row by its primary key, which is parameter 1.
  package func delete(from table: TableMapping) -> String {
    "DELETE FROM \(dialect.table(table.name)) WHERE \(key) = \(dialect.placeholder(1, .key))"
  }

  /// Deletes every row.
  package func deleteAll(from name: String) -> String {
    "DELETE FROM \(dialect.table(name))"
  }

  /// Reads the greatest primary key that a table has.
  package func greatestKey(ofTableNamed table: String) -> String {
    "SELECT max(\(key)) FROM \(dialect.table(table))"
  }

  /// The primary key and the columns of a mask, as a list; in a hierarchy with what inheriting entities add, and the name
  /// of the row's entity.
  ///
  /// - Parameter source: What stands before each column, with the point behind it.
  func selected(
    _ table: TableMapping, mask: UInt64, includesSubentities: Bool = true, from source: String = ""
  ) -> String {
    var names = [DatabaseMapping.keyColumn]
    names += Self.selectedColumns(table, mask: mask, includesSubentities: includesSubentities).map(\.name)
    if table.entity.inheritance != nil { names.append(DatabaseMapping.entityColumn) }
    return names.map { source + dialect.quoted($0) }.joined(separator: ", ")
  }

  /// The columns of a mask that follow the primary key, in order.
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

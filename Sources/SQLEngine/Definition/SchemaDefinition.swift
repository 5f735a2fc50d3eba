import PersistenceRuntime

/// Writes the statements that create the tables of a schema.
package struct SchemaDefinition {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// The statements that create all tables and indexes. They have to be run in one transaction.
  package func statements(for database: DatabaseMapping) -> [String] {
    let tables = database.tables.filter { !$0.isShared }
    // Subentities add indexes and link tables to the table of their root. They come last, because the root may be
    // listed after its subentities in the schema.
    let shared = database.tables.filter(\.isShared)
    let points = (tables + shared).flatMap(\.spatialIndexes).flatMap(dialect.spatialIndex)
    let constraints = (tables + shared).flatMap(\.ownReferences).compactMap { dialect.constraint(of: $0)?.addition }
    return tables.flatMap { [table($0)] + indexes(of: $0) } + shared.flatMap(indexes) + tables.flatMap(links)
      + shared.flatMap(links) + constraints + points
  }

  /// The statement that creates the table of an entity.
  package func table(_ table: TableMapping) -> String {
    let key = "\(dialect.quoted(DatabaseMapping.keyColumn)) \(dialect.primaryKeyType)"
    let columns =
      [key] + entityColumn(of: table) + table.columns.map { column($0, of: table.name) } + subentityColumns(of: table)
      + positions(of: table)
    return "CREATE TABLE \(dialect.table(table.name)) (\n  \((columns + originals).joined(separator: ",\n  "))\n)"
  }

  /// The statements that create the indexes of an entity's table.
  package func indexes(of table: TableMapping) -> [String] {
    table.indexes.map { index in
      let columns = index.columns.map { dialect.indexTerm(indexed($0, isUnique: index.isUnique, of: table)) }
        .joined(separator: ", ")
      let kind = index.isUnique ? "UNIQUE INDEX" : "INDEX"
      let test = index.entities.isEmpty ? "" : " WHERE \(TableMapping.test(for: index.entities, dialect: dialect))"
      return "CREATE \(kind) \(dialect.quoted(index.name)) ON \(dialect.table(table.name)) (\(columns))\(test)"
    }
  }

  private func indexed(_ column: String, isUnique: Bool, of table: TableMapping) -> String {
    let (name, format) = (dialect.quoted(column), table.format(ofColumn: column))
    return format == .decimal && !isUnique ? dialect.key(ofDecimal: name) : dialect.indexed(name, format: format)
  }

  /// The column that names the entity of a row, if the table contains several entities.
  func entityColumn(of table: TableMapping) -> [String] {
    guard table.entity.inheritance != nil else { return [] }
    return ["\(dialect.quoted(DatabaseMapping.entityColumn)) \(dialect.columnType(for: .text)) NOT NULL"]
  }

  /// The columns of subentities. They are NULL in the rows of other entities.
  private func subentityColumns(of table: TableMapping) -> [String] {
    table.subtables.flatMap { $0.ownColumns.map { column($0, of: table.name, mayBeMissing: true) } }
  }

  /// The statements that create the link tables of an entity, with their indexes.
  package func links(of table: TableMapping) -> [String] {
    table.ownLinks.flatMap { [link($0), linkIndex($0)] }
  }

  /// The type of one column.
  func columnType(of column: ColumnMapping) -> String {
    dialect.columnType(for: column.format, isUnsigned: column.isUnsigned)
  }

  /// The definition of one column.
  package func column(_ column: ColumnMapping, of table: String, mayBeMissing: Bool = false) -> String {
    // The remark follows the column's name: only there does the database keep it if the column is added later.
    let remark = column.remark.flatMap { dialect.remark($0.rawValue) }
    var parts = [dialect.quoted(column.name), remark ?? "", columnType(of: column)]
    if !column.isOptional, !mayBeMissing { parts.append("NOT NULL") }
    if let reference = column.reference {
      parts += inline(
        TableReference(table: table, column: column.name, target: reference.table, action: reference.action))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The columns for positions in lists, of the entity and of its subentities.
  private func positions(of table: TableMapping) -> [String] {
    ([table] + table.subtables).flatMap { table in
      table.positionColumns.filter { table.isOwn($0.key) }.sorted { $0.key < $1.key }
    }.map { position($0.value) }
  }

  func position(_ name: String) -> String {
    [dialect.quoted(name), dialect.columnType(for: .real)].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The column of originals (the exact values, where other columns have stored forms), if the dialect has it.
  private var originals: [String] {
    dialect.originalsColumn == nil ? [] : [PhysicalColumn.originals(self).definition]
  }

  func link(_ link: LinkTableMapping) -> String {
    let ends = [link.owner, link.target]
    let sides = ends.map { side($0, of: link) } + ends.map { position($0.positionColumn) }
    let pair = "\(dialect.quoted(link.owner.column)), \(dialect.quoted(link.target.column))"
    return """
      CREATE TABLE \(dialect.table(link.name)) (
        \(dialect.quoted(LinkTableMapping.keyColumn)) \(dialect.pairKeyType),
        \(sides.joined(separator: ",\n  ")),
        UNIQUE (\(pair))
      )
      """
  }

  private func side(_ side: LinkTableMapping.Side, of link: LinkTableMapping) -> String {
    let parts = [dialect.quoted(side.column), dialect.columnType(for: .reference), "NOT NULL"]
    return (parts + (link.reference(of: side).map(inline) ?? [])).joined(separator: " ")
  }

  func linkIndex(_ link: LinkTableMapping) -> String {
    let target = dialect.quoted(link.target.column)
    return "CREATE INDEX \(dialect.quoted(link.indexName)) ON \(dialect.table(link.name)) (\(target))"
  }

  /// The foreign key clause of a column, if the dialect defines foreign keys in columns. The foreign key is deferred,
  /// so that a save may write its rows in any order.
  private func inline(_ reference: TableReference) -> [String] {
    guard dialect.constraint(of: reference) == nil else { return [] }
    let target = "\(dialect.table(reference.target)) (\(dialect.quoted(DatabaseMapping.keyColumn)))"
    return ["REFERENCES \(target) ON DELETE \(reference.action.rawValue) DEFERRABLE INITIALLY DEFERRED"]
  }
}

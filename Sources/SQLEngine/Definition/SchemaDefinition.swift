import PersistenceCore

/// Writes the statements that make the tables of a schema.
package struct SchemaDefinition {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// The statements that make every table and index, to be run in one transaction.
  package func statements(for database: DatabaseMapping) -> [String] {
    database.tables.flatMap { [table($0)] + indexes(of: $0) } + database.tables.flatMap(links)
  }

  /// The statement that makes the table of an entity.
  package func table(_ table: TableMapping) -> String {
    let key = "\(dialect.quoted(DatabaseMapping.keyColumn)) \(dialect.primaryKeyType)"
    let columns = [key] + table.columns.map(column)
    return "CREATE TABLE \(dialect.quoted(table.name)) (\n  \(columns.joined(separator: ",\n  "))\n)"
  }

  /// The statements that make the indexes of an entity's table.
  package func indexes(of table: TableMapping) -> [String] {
    table.indexes.map { index in
      let columns = index.columns.map(dialect.quoted).joined(separator: ", ")
      let kind = index.isUnique ? "UNIQUE INDEX" : "INDEX"
      return "CREATE \(kind) \(dialect.quoted(index.name)) ON \(dialect.quoted(table.name)) (\(columns))"
    }
  }

  /// The statements that make the link tables of an entity, with their indexes.
  package func links(of table: TableMapping) -> [String] {
    table.links.sorted { $0.key < $1.key }.flatMap { [link($0.value), linkIndex($0.value)] }
  }

  /// The definition of one column.
  package func column(_ column: ColumnMapping) -> String {
    var parts = [dialect.quoted(column.name), dialect.columnType(for: column.format)]
    if !column.isOptional { parts.append("NOT NULL") }
    if let destination = column.destination {
      parts.append(reference(to: destination, onDelete: column.isOptional ? "SET NULL" : "NO ACTION"))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func link(_ link: LinkTableMapping) -> String {
    let type = dialect.columnType(for: .reference)
    let owner = dialect.quoted(LinkTableMapping.ownerColumn)
    let position = dialect.quoted(LinkTableMapping.positionColumn)
    let target = dialect.quoted(LinkTableMapping.targetColumn)
    let targetReference = link.destination.map { " " + reference(to: $0, onDelete: "CASCADE") } ?? ""
    return """
      CREATE TABLE \(dialect.quoted(link.name)) (
        \(owner) \(type) NOT NULL \(reference(to: link.owner, onDelete: "CASCADE")),
        \(position) \(type) NOT NULL,
        \(target) \(type) NOT NULL\(targetReference),
        PRIMARY KEY (\(owner), \(position))
      )\(dialect.keylessTableOptions.isEmpty ? "" : " " + dialect.keylessTableOptions)
      """
  }

  private func linkIndex(_ link: LinkTableMapping) -> String {
    let target = dialect.quoted(LinkTableMapping.targetColumn)
    return "CREATE INDEX \(dialect.quoted(link.indexName)) ON \(dialect.quoted(link.name)) (\(target))"
  }

  /// Deferred, so that the rows of one save may be written in any order.
  private func reference(to table: String, onDelete action: String) -> String {
    let key = dialect.quoted(DatabaseMapping.keyColumn)
    return "REFERENCES \(dialect.quoted(table)) (\(key)) ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED"
  }
}

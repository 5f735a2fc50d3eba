import PersistenceRuntime

/// A table with encrypted values.
package struct SealedTable: Sendable {
  package let name: String
  package let columns: [(name: String, outOfRowValue: OutOfRowValue)]

  /// All that a database has.
  package static func all(of database: DatabaseMapping) -> [SealedTable] {
    database.tables.filter { !$0.isShared }.compactMap { SealedTable($0) }
  }

  /// Nil when nothing in the table is encrypted.
  package init?(_ table: TableMapping) {
    name = table.name
    columns = table.declaredProperties.flatMap { table, property -> [(name: String, outOfRowValue: OutOfRowValue)] in
      guard let outOfRow = property.outOfRowValue, outOfRow.isEncrypted else { return [] }
      return table.columns(of: property.position).map { ($0.name, outOfRow) }
    }
    if columns.isEmpty { return nil }
  }
}

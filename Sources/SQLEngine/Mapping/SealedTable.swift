import PersistenceRuntime

/// A table with encrypted columns.
package struct SealedTable: Sendable {
  package let name: String
  package let columns: [(name: String, outOfRowValue: OutOfRowValue)]

  /// All tables of a database that have encrypted columns.
  package static func all(of database: DatabaseMapping) -> [SealedTable] {
    database.tables.filter { !$0.isShared }.compactMap { SealedTable($0) }
  }

  /// Nil if no column of the table is encrypted.
  package init?(_ table: TableMapping) {
    name = table.name
    columns = table.declaredProperties.flatMap { table, property -> [(name: String, outOfRowValue: OutOfRowValue)] in
      guard let outOfRow = property.outOfRowValue, outOfRow.isEncrypted else { return [] }
      return table.columns(of: property.position).map { ($0.name, outOfRow) }
    }
    if columns.isEmpty { return nil }
  }
}

extension SealedTable {
  /// A batch of rows in the order of their keys. One transaction has re-encrypted the values of these rows.
  package struct Batch: Sendable {
    package var rows = 0
    /// The number of values that were encrypted with another key than the current one.
    package var values = 0
    /// The key of the last row; nil if the table has no more rows.
    package var last: Int64?

    package init() {}
  }
}

extension EngineReencryption {
  /// Adds a batch of the current table to the totals, and continues after its last row or with the next table.
  package mutating func add(_ batch: SealedTable.Batch) {
    rows += batch.rows
    values += batch.values
    total += batch.values
    if let last = batch.last, last < .max {
      key = last + 1
    } else {
      (table, key) = (table + 1, .min)
    }
  }
}

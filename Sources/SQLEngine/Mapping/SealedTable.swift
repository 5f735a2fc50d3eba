import PersistenceRuntime

/// A table that has encrypted columns, and these columns.
package struct SealedTable: Sendable {
  package let name: String
  package let columns: [(name: String, outOfRowValue: OutOfRowValue)]

  /// The tables of a database that have encrypted columns.
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
  /// The result of one transaction that has re-encrypted a batch of rows. Batches follow the order of the keys.
  package struct Batch: Sendable {
    package var rows = 0
    /// The number of values that were encrypted with an old key.
    package var values = 0
    /// The primary key of the batch's last row; nil if the table has no more rows.
    package var last: Int64?

    package init() {}
  }
}

extension EngineReencryption {
  /// Adds a batch to the totals. The next batch starts after the last row or, if there was none, in the next table.
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

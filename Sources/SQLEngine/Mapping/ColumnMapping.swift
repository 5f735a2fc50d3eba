import PersistenceCore

/// One column of an entity's table, under the name that it has in the database.
package struct ColumnMapping: Sendable, Hashable {
  package let name: String
  package let format: ColumnFormat
  package let isOptional: Bool
  /// The bit of the column's property in masks.
  package let bit: UInt64
  /// The table that a reference points into.
  package let destination: String?
}

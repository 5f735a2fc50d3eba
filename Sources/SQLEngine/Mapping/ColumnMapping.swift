import PersistenceRuntime

/// What a column refers to, and what happens to its row when that goes.
package struct ReferenceMapping: Sendable, Hashable {
  package let table: String
  package let action: ReferenceAction

  /// - Returns: nil where the models are to look after references themselves.
  init?(_ relationship: RelationshipLayout?, isOptional: Bool, table: String) {
    self.table = table
    switch relationship?.inverseDeleteRule {
    case .noAction: return nil
    case .cascade: action = .cascade
    case .deny: action = .refuse
    case .nullify, nil: action = isOptional ? .clear : .refuse
    }
  }
}

/// One column of an entity's table, under the name that it has in the database.
package struct ColumnMapping: Sendable, Hashable {
  package let name: String
  package let format: ColumnFormat
  package let isOptional: Bool
  /// The bit of the column's property in masks.
  package let bit: UInt64
  /// Where a reference leads.
  package let reference: ReferenceMapping?
  /// Whether the numbers go beyond those of 64 bits with a sign, so that the greatest are stored as bytes.
  package var isUnsigned = false
  /// What the definition of the table says of the column.
  var remark: ColumnRemark?
}

extension SQLParameterType {
  /// The type of the values in a column.
  init(_ column: ColumnMapping) {
    self = .value(column.format, isUnsigned: column.isUnsigned)
  }
}

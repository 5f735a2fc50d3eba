/// A column with the keys of rows of a table.
package struct TableReference: Sendable, Hashable {
  package let table: String
  package let column: String
  /// The table that the column refers to.
  package let target: String
  package let action: ReferenceAction
}

/// The statements for a reference that is a constraint apart from its column.
package struct ReferenceConstraint: Sendable, Hashable {
  package let addition: String
  package let removal: String

  package init(addition: String, removal: String) {
    self.addition = addition
    self.removal = removal
  }
}

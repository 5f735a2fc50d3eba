/// A column with the keys of rows of a table.
package struct TableReference: Sendable, Hashable {
  package let table: String
  package let column: String
  /// The table that the column refers to.
  package let target: String
  package let action: ReferenceAction
}

/// What the database does with a row when the row that it refers to is deleted.
///
/// Contexts apply delete rules themselves. The database acts on the rows that a context does not know, such as one that
/// another process has just saved.
package enum ReferenceAction: String, Sendable, Hashable {
  case clear = "SET NULL"
  case cascade = "CASCADE"
  case refuse = "NO ACTION"
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

import PersistenceRuntime
import PersistenceSupport

/// The target of a model's key path: a column, at the end of to-one relationships.
package struct ValuePath: Sendable, Hashable {
  /// The column at the end of a path.
  package enum Column: Sendable, Hashable {
    /// A column of a property, relative to the property's first.
    case property(Int, column: Int)
    /// The primary key.
    case key
    /// A relationship as a whole.
    case relationship(Int)
  }

  /// The conversion of a value before its comparison.
  package enum Suffix: Sendable, Hashable {
    case none
    /// A Boolean as a number.
    case rank
    case text(TextOrder)
  }

  /// The to-one relationships on the path.
  package let steps: [RelationshipStep]
  package let column: Column
  package let suffix: Suffix

  package init(steps: [RelationshipStep] = [], column: Column, suffix: Suffix = .none) {
    self.steps = steps
    self.column = column
    self.suffix = suffix
  }
}

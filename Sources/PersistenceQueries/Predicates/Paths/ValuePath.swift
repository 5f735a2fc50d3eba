import PersistenceRuntime
import PersistenceSupport

/// Where a key path of a model leads: through to-one relationships, to one column.
package struct ValuePath: Sendable, Hashable {
  /// A column at the end of a path.
  package enum Column: Sendable, Hashable {
    /// A column of a property, counted from the property's first.
    case property(Int, column: Int)
    /// The primary key.
    case key
    /// A relationship, as a whole.
    case relationship(Int)
  }

  /// What becomes of the value before it is compared.
  package enum Suffix: Sendable, Hashable {
    case none
    /// A Boolean as a number.
    case rank
    case text(TextOrder)
  }

  /// The positions of the relationships that are followed, each among the properties of its entity.
  package let steps: [RelationshipStep]
  package let column: Column
  package let suffix: Suffix

  package init(steps: [RelationshipStep] = [], column: Column, suffix: Suffix = .none) {
    self.steps = steps
    self.column = column
    self.suffix = suffix
  }
}

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

/// A to-one relationship that a path follows.
package struct RelationshipStep: Sendable, Hashable {
  /// The position of the relationship among the properties of the entity that it leads from.
  package let position: Int
  /// The entity that it leads to.
  package let destination: String

  package init(position: Int, destination: String) {
    self.position = position
    self.destination = destination
  }
}

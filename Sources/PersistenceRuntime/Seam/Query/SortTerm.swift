import PersistenceSupport

/// One criterion of an order.
package struct SortTerm: Sendable, Hashable {
  /// How values compare.
  package enum Form: Sendable, Hashable {
    /// As the column does.
    case stored
    /// As texts do for people.
    case text(TextOrder)
    /// By their places among these values; each has its own, and none comes last.
    case ranked([RankedValue])
  }

  /// The position of the property to order by, in the entity that ``steps`` lead to.
  package let property: Int
  /// The column of the property, counted from its first.
  package let column: Int
  package let isDescending: Bool
  /// The to-one relationships that lead to the property.
  package let steps: [RelationshipStep]
  package let form: Form

  package init(
    property: Int, column: Int = 0, isDescending: Bool, steps: [RelationshipStep] = [], form: Form = .stored
  ) {
    self.property = property
    self.column = column
    self.isDescending = isDescending
    self.steps = steps
    self.form = form
  }
}

/// A value of a type that orders its values in its own way, and where it comes.
package struct RankedValue: Sendable, Hashable {
  package let value: QueryValue
  package let rank: Int

  package init(_ value: QueryValue, rank: Int) {
    self.value = value
    self.rank = rank
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

import PersistenceSupport

/// One criterion of a sort order.
package struct SortTerm: Sendable, Hashable {
  /// The comparison of values.
  package enum Form: Sendable, Hashable {
    /// The comparison of the column.
    case stored
    /// A localized comparison of strings.
    case text(TextOrder)
    /// By rank among these values, each with its own; nil last.
    case ranked([RankedValue])
  }

  /// The position of the property in the entity at the end of ``steps``.
  package let property: Int
  /// The column, relative to the property's first.
  package let column: Int
  package let isDescending: Bool
  /// The to-one relationships on the path to the property.
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

/// A value of a type with its own order, and its rank.
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

import PersistenceSupport

/// Says that a predicate or an order cannot be put to a store, so that the caller evaluates it in memory instead.
package struct UntranslatableExpression: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sub-expression that has no translation, in words that continue "cannot be translated: ".
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// The error for a caller that cannot evaluate the predicate in memory either.
  package var predicateError: SwiftDataError {
    SwiftDataError(
      .unsupportedPredicate,
      """
      The predicate cannot be translated: \(description). \
      Fetch with the rest of the predicate and filter the result in Swift, or store the value as a property of its own.
      """)
  }

  /// The error for a caller that cannot sort in memory either.
  package var sortError: SwiftDataError {
    SwiftDataError(
      .unsupportedSortDescriptor,
      """
      The order cannot be translated: \(description). \
      Fetch without it and sort the result in Swift, or store the value to sort by as a property of its own.
      """)
  }
}

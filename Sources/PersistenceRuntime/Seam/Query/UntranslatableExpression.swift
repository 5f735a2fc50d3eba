import PersistenceSupport

/// A predicate or sort order that has no query, so that the caller evaluates it in memory.
package struct UntranslatableExpression: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sub-expression without a translation; continues "cannot be translated: ".
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// The error if the predicate cannot be evaluated in memory either.
  package var predicateError: SwiftDataError {
    SwiftDataError(
      .unsupportedPredicate,
      """
      The predicate cannot be translated: \(description). \
      Fetch with the rest of the predicate and filter the result in Swift, or store the value as a property of its own.
      """)
  }

  /// The error if the order cannot be applied in memory either.
  package var sortError: SwiftDataError {
    SwiftDataError(
      .unsupportedSortDescriptor,
      """
      The order cannot be translated: \(description). \
      Fetch without it and sort the result in Swift, or store the value to sort by as a property of its own.
      """)
  }
}

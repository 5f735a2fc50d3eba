/// A predicate or sort order that has no query, so that the caller evaluates it in memory.
package struct UntranslatableExpression: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sub-expression without a translation, as a noun.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

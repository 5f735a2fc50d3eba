import PersistenceRuntime
import PersistenceSupport

/// The query caches of one entity. Thread-safe.
package final class QueryMemory: Sendable {
  /// The meanings of key paths.
  let keyPaths = KeyPathMemory()
  /// The translations of predicates.
  let templates = TemplateMemory()
  /// The targets of key paths through several properties.
  let valuePaths = ValuePathMemory()
}

extension EntityLayout {
  /// Lends the query caches of the entity without reference counting: every query uses them.
  ///
  /// - Parameter body: Uses the caches. They must not escape.
  @inline(__always)
  func withQueryMemory<Result>(_ body: (QueryMemory) -> Result) -> Result {
    // The layout owns the caches, so it must live until the end.
    defer { withExtendedLifetime(self) {} }
    return queryMemoryBox.object { QueryMemory() }._withUnsafeGuaranteedRef(body)
  }
}

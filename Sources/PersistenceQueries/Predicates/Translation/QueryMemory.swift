import PersistenceRuntime
import PersistenceSupport

/// What queries have found out about one entity before.
package final class QueryMemory: Sendable {
  /// What key paths mean.
  let keyPaths = KeyPathMemory()
  /// The translations of predicates.
  let templates = TemplateMemory()
  /// Where key paths lead that are more than one property long.
  let valuePaths = ValuePathMemory()
}

extension EntityLayout {
  /// Lends what queries have found out about the entity, without counting a reference to it: every query asks.
  ///
  /// - Parameter body: What is to be done with it, which must not keep it.
  @inline(__always)
  func withQueryMemory<Result>(_ body: (QueryMemory) -> Result) -> Result {
    // The layout owns the memory, so it has to live until the end.
    defer { withExtendedLifetime(self) {} }
    return queryMemoryBox.object { QueryMemory() }._withUnsafeGuaranteedRef(body)
  }
}

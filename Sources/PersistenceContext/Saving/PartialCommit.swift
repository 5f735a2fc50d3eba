import PersistenceRuntime
import PersistenceSupport

/// A save to several stores of which one failed to commit after others had committed.
///
/// Stores commit one by one, after all checks, so this happens only if a disk fails or fills up in between.
package struct PartialCommit {
  let saved: [StoreCoordinator]
  let refused: [StoreCoordinator]
  /// The store that may have committed or not. It is left out of ``refused``.
  let uncertain: StoreCoordinator?
  /// What happens to unsaved changes, as a sentence.
  let rest: String

  init(
    saved: [StoreCoordinator], refused: [StoreCoordinator], uncertain: StoreCoordinator?,
    rest: String = "The rest is still pending, and the next save writes it."
  ) {
    self.saved = saved
    self.refused = refused.filter { $0 !== uncertain }
    self.uncertain = uncertain
    self.rest = rest
  }

  /// The error of the failed store, with the state of the others.
  func error(_ error: any Error) -> SwiftDataError {
    let cause = error as? SwiftDataError
    let reason = cause?.explanation ?? "\(error)"
    var others: [String] = []
    if !refused.isEmpty { others.append("Not saved: \(Self.words(refused)). ") }
    if let uncertain { others.append("Not known: \(Self.words([uncertain])). ") }
    return SwiftDataError(
      cause?.kind ?? .storeFailure,
      "of several stores some were saved, and the others were not. Saved: \(Self.words(saved)). "
        + "\(others.joined())"
        + "What was saved stays saved. \(rest) The store that failed said: \(reason)",
      underlying: cause?.underlyingError ?? error)
  }

  /// The error of a store that could not be erased, with the state of the others.
  package static func error(
    _ error: any Error, erased: some Sequence<StoreCoordinator>, left: some Sequence<StoreCoordinator>
  ) -> SwiftDataError {
    let cause = error as? SwiftDataError
    let reason = cause?.explanation ?? "\(error)"
    return SwiftDataError(
      cause?.kind ?? .storeFailure,
      "of several stores some were erased, and the others were not. Erased: \(words(Array(erased))). "
        + "Not erased: \(words(Array(left))). Erasing again erases the rest. The store that failed said: \(reason)",
      underlying: cause?.underlyingError ?? error)
  }

  private static func words(_ stores: [StoreCoordinator]) -> String {
    stores.map { store in
      "\(store.engine.location) (\(store.layouts.map(\.name).sorted().joined(separator: ", ")))"
    }.joined(separator: ", ")
  }
}

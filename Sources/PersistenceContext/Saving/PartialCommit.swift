import PersistenceRuntime
import PersistenceSupport

/// Commits of several stores of which one failed when others had been made.
///
/// Stores commit one after the other, and everything that could be found out before the first commit has been: so this is
/// as rare as a disk that fails in between.
package struct PartialCommit {
  let saved: [StoreCoordinator]
  let refused: [StoreCoordinator]
  /// What becomes of what was not saved, as a sentence.
  var rest = "The rest is still pending, and the next save writes it."

  /// The error of the store that refused its part, with what that means for the others.
  func error(_ error: any Error) -> SwiftDataError {
    let cause = error as? SwiftDataError
    let reason = cause?.explanation ?? "\(error)"
    return SwiftDataError(
      cause?.kind ?? .storeFailure,
      "of several stores some were saved, and the others were not. Saved: \(Self.words(saved)). "
        + "Not saved: \(Self.words(refused)). "
        + "What was saved stays saved. \(rest) The store that failed said: \(reason)",
      underlying: cause?.underlyingError ?? error)
  }

  /// The error of a store that could not be erased when others had been.
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
      "\(store.engine.place) (\(store.layouts.map(\.name).sorted().joined(separator: ", ")))"
    }.joined(separator: ", ")
  }
}

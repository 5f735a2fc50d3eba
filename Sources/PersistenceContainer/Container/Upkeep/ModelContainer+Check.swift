import Foundation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

// Ours: checks and repairs of stores.

extension ModelContainer {
  /// Compares the stores' contents with their schemas and, if asked, makes the repairs that are unambiguous. Ours.
  ///
  /// The check finds damage by other programs, failing disks and partial copies of a store: damaged pages; missing or
  /// different tables, columns, indexes and triggers; values that do not decode, or that queries do not find because
  /// they are not in the stored form; dangling references; lists with duplicate positions; indexes and files that do
  /// not match their rows. Of a value of `.externalStorage`, only the size of its file is checked.
  ///
  /// ```swift
  /// for problem in try await container.check(repairing: true) where problem.repair != .done {
  ///   print(problem)
  /// }
  /// ```
  ///
  /// Contexts and other processes can use the stores during a check. A repair checks each problem once more and repairs
  /// it, in one transaction for each store. Other saves wait for that transaction, and contexts are notified of the
  /// changes. A repair never deletes data of a model: rows that cannot be read are only reported.
  ///
  /// The check runs on the reader threads of the container. Any actor may call it.
  ///
  /// - Parameters:
  ///   - repairing: Whether to repair the problems for which only one repair is correct.
  ///   - progress: Has 1,000 units for each store. Cancelling it, or the task, ends the check without repairs.
  /// - Returns: The problems, including repaired ones (see ``StoreProblem/repair``); empty if there are none. If a
  ///   column has more than 1,000 problems, the last one represents the rest.
  /// - Throws: `CancellationError`; `SwiftDataError.storeReadOnly` for repairs of a read-only store; `.storeBusy`,
  ///   `.storeFull` and other errors of a store. Nothing is repaired in that store then.
  public func check(
    repairing: Bool = false, progress: Progress = Progress(parent: nil)
  ) async throws -> [StoreProblem] {
    try await withTaskExecutorPreference(stores.readers) {
      try await runCheck(repairing: repairing, progress)
    }
  }

  @concurrent
  private func runCheck(repairing: Bool, _ progress: Progress) async throws -> [StoreProblem] {
    var problems: [StoreProblem] = []
    for (index, store) in stores.stores.enumerated() {
      let work = StoreWork(progress, store: index, of: stores.stores.count)
      try work.checkCancellation()
      problems += try store.engine.check(repairing: repairing, work)
      work.finish()
      // Notifies contexts of the repairs at once.
      if repairing { _ = store.announceForeignChanges() }
    }
    return problems
  }
}

import Foundation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

// Ours: checks and repairs of stores.

extension ModelContainer {
  /// Compares the contents of the stores with their schemas and, if asked, makes unambiguous repairs. Ours.
  ///
  /// It finds what other programs, failing disks and partial copies of a store leave behind: damaged pages; missing or
  /// different tables, columns, indexes and triggers; values that do not decode, or that queries do not find because of
  /// their form; dangling references; lists with duplicate positions; indexes and files that do not match their rows.
  /// Values of `.externalStorage` are checked by the size of their files.
  ///
  /// ```swift
  /// for problem in try await container.check(repairing: true) where problem.repair != .done {
  ///   print(problem)
  /// }
  /// ```
  ///
  /// Contexts and other processes can use the stores during a check. A repair checks each problem once more and repairs
  /// it, in one transaction for each store. Other saves wait for that transaction, and contexts are notified of the
  /// changes. No data of a model is ever deleted: unreadable rows are reported.
  ///
  /// It runs on the reader threads of the container. Any actor may call it.
  ///
  /// - Parameters:
  ///   - repairing: Whether to repair the problems for which only one repair is correct.
  ///   - progress: Has 1,000 units for each store. Cancelling it, or the task, ends the check without repairs.
  /// - Returns: The problems, including repaired ones: see ``StoreProblem/repair``. Empty without problems. If a column
  ///   has more than 1,000 problems, the last one represents the rest.
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

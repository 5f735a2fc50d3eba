import Foundation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

// Ours: a container says what is wrong with its stores.

extension ModelContainer {
  /// Compares what the stores hold with their schemas, and mends what has one right answer if it is told to. Ours.
  ///
  /// It finds what other programs, failing disks and files that were copied alone leave behind: damaged pages; tables,
  /// columns, indexes and triggers that are missing or other ones; values that do not decode, or that queries do not
  /// find because of their form; references that lead nowhere; lists with places taken twice; indexes and files that are
  /// not in step with their rows. Values of `.externalStorage` are checked by the size of their files.
  ///
  /// ```swift
  /// for problem in try await container.check(repairing: true) where problem.repair != .done {
  ///   print(problem)
  /// }
  /// ```
  ///
  /// Contexts and other processes go on while it checks. To repair, it checks what was found once more and mends it in
  /// one transaction for each store, for which other saves wait; contexts are told of the changes. Nothing that a model
  /// has is ever deleted: rows that cannot be read are reported.
  ///
  /// It runs on the reader threads of the container. Any actor may call it.
  ///
  /// - Parameters:
  ///   - repairing: Whether to mend what has one right answer.
  ///   - progress: Has 1,000 units for each store. Cancelling it, or the task, ends the check; nothing is mended then.
  /// - Returns: What is wrong, or was: see ``StoreProblem/repair``. None if all is well. Of more than 1,000 problems with
  ///   one column the last stands for the rest.
  /// - Throws: `CancellationError`; `SwiftDataError.storeReadOnly` for repairs of a store that may not change;
  ///   `.storeBusy`, `.storeFull` and other errors of a store. Nothing is mended in that store then.
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
      // Lets contexts hear at once what was mended.
      if repairing { _ = store.announceForeignChanges() }
    }
    return problems
  }
}

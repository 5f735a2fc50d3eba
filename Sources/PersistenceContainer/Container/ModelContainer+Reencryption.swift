import Foundation
import PersistenceContext
import PersistenceRuntime

// Ours: changing the key of a store.

extension ModelContainer {
  /// Re-encrypts all values that are encrypted with a former key, including values in external files. Ours.
  ///
  /// ```swift
  /// configuration.encryptionKey = newKey
  /// configuration.formerEncryptionKeys = [oldKey]
  /// let container = try ModelContainer(for: Diary.self, configurations: configuration)
  /// try await container.reencrypt()
  /// // The old key is no longer needed.
  /// ```
  ///
  /// Rows are processed in batches, each in a transaction of its own. Contexts and other processes can save between two
  /// batches. If the task is cancelled or the process ends, the store contains values of several keys. It still opens
  /// with all these keys, and another call continues the re-encryption. Every program that has the store open meanwhile
  /// must encrypt with the current key. At the end, the values of deleted models that the history has preserved are
  /// encrypted again; those that no key decrypts are deleted. Copies of the store, such as backups, keep their keys.
  ///
  /// The method runs outside of any actor. Any actor may call it.
  ///
  /// - Parameters:
  ///   - batchSize: The number of rows in a batch. Batches with large values have fewer rows.
  ///   - progress: Counts the rows. Cancelling it, or the task, ends the work after the current batch.
  /// - Returns: The number of values that were encrypted again.
  /// - Throws: `CancellationError`; `SwiftDataError.corruptValue` for a value that no key decrypts; `.storeReadOnly`,
  ///   `.storeBusy` and other errors of the store.
  @concurrent
  @discardableResult
  public func reencrypt(batchSize: Int = 500, progress: Progress = Progress(parent: nil)) async throws -> Int {
    let counts = try stores.stores.map { try $0.engine.encryptedRowCount() }
    progress.totalUnitCount = Int64(max(1, counts.reduce(0, +)))
    var finished = 0
    var values = 0
    for (store, count) in zip(stores.stores, counts) {
      values += try await Self.reencrypt(store, batchSize: max(1, batchSize), progress) { rows in
        progress.completedUnitCount = min(Int64(finished + min(rows, count)), progress.totalUnitCount)
      }
      finished += count
    }
    progress.completedUnitCount = progress.totalUnitCount
    return values
  }

  private static func reencrypt(
    _ store: StoreCoordinator, batchSize: Int, _ progress: Progress, _ didAdvance: (Int) -> Void
  ) async throws -> Int {
    var state = EngineReencryption()
    while !state.isComplete {
      try Task.checkCancellation()
      if progress.isCancelled { throw CancellationError() }
      state = try store.engine.reencrypt(from: state, limit: batchSize)
      didAdvance(state.rows)
      // Lets other tasks use the store and the thread between two batches.
      await Task.yield()
    }
    return state.total
  }
}

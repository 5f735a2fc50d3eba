import Foundation
import PersistenceContext
import PersistenceRuntime

// Ours: changing the key of a store.

extension ModelContainer {
  /// Encrypts everything with the present key that is still encrypted with a former one, external files included.
  ///
  /// ```swift
  /// configuration.encryptionKey = newKey
  /// configuration.formerEncryptionKeys = [oldKey]
  /// let container = try ModelContainer(for: Diary.self, configurations: configuration)
  /// try await container.reencrypt()
  /// // From now on the old key opens nothing, and need not be given any more.
  /// ```
  ///
  /// It goes over the rows in batches. Each is a transaction, done as a whole or not at all, between which contexts and
  /// other processes save as ever. What has been done stays done when it is cancelled or the process ends: the store then has
  /// values of several keys, opens with all of them, and calling it again does the rest. When it returns, everything that is
  /// saved is encrypted with the present key. Every program that still has the store open must encrypt with that one;
  /// copies of the store, as backups are, keep their keys.
  ///
  /// It runs on no actor and may be called from any.
  ///
  /// - Parameters:
  ///   - batchSize: The number of rows of a batch; fewer where values are large.
  ///   - progress: Told of the rows. Cancelling it, or the task, ends the work after the batch that is under way.
  /// - Returns: The number of values that were encrypted anew.
  /// - Throws: `CancellationError`; `SwiftDataError.corruptValue` for a value that none of the keys opens, `.storeReadOnly`,
  ///   `.storeBusy` and others of the store.
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
      // Who waits for the store, or for the thread, comes first.
      await Task.yield()
    }
    return state.total
  }
}

import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Calls a block with every model that a descriptor means, in its order, with one batch in memory at a time.
  ///
  /// A million rows pass through in the memory of one batch and 8 bytes for each row: models that nobody keeps are
  /// freed with their batch. Models that the block changes are kept until they are saved, so that it may leave no
  /// changes behind at the end of a batch unless it says so; saving inside of the block is fine. Rows that are deleted
  /// in the meantime are left out. Between batches a cancelled task ends the loop.
  /// - Parameters:
  ///   - fetch: Which models, in which order.
  ///   - batchSize: How many models are read at once; 0 or less for all.
  ///   - allowEscapingMutations: Whether changes may wait for a later save, in memory.
  ///   - block: What to do with each model. What it throws ends the loop.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` when the descriptor includes pending changes and
  ///   there are some before or, unless they are allowed, after a batch; `CancellationError`; and what `block` or
  ///   ``fetch(_:)`` throws.
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5_000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    let request = try batchRequest(fetch)
    let size = batchSize > 0 ? batchSize : Swift.max(1, request.keys.count)
    let hadChanges = hasChanges
    for start in stride(from: 0, to: request.keys.count, by: size) {
      try Task<Never, Never>.checkCancellation()
      let keys = request.keys[start..<Swift.min(start + size, request.keys.count)]
      for model in try batch(keys, of: fetch, mask: request.mask, in: request.map) as [T] { try block(model) }
      if !allowEscapingMutations, !hadChanges, hasChanges { throw escapedMutations(of: request.map.entity) }
    }
  }

  private func escapedMutations(of entity: EntityLayout) -> SwiftDataError {
    SwiftDataError(
      .includePendingChangesWithBatchSize,
      "the block that goes through \(entity.name) left changes behind, which memory would have to keep; save in the "
        + "block, or pass allowEscapingMutations: true. The changes are still pending")
  }
}

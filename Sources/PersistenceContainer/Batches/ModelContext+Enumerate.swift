import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Calls a block with every model of a fetch, in order, with one batch in memory at a time. Apple's.
  ///
  /// The loop needs the memory of one batch and 8 bytes for each row. Models without other references are freed with
  /// their batch. Changed models stay in memory until they are saved; so, by default, no changes may be pending at the
  /// end of a batch. The block may save. Rows that are deleted meanwhile are left out.
  ///
  /// ```swift
  /// try context.enumerate(FetchDescriptor<Trip>(), batchSize: 100) { trip in print(trip.name) }
  /// // SELECT "_osd_key" FROM "Trip" ORDER BY "_osd_key"
  /// // SELECT … FROM "Trip" WHERE "_osd_key" IN (100 keys)
  /// ```
  /// - Parameters:
  ///   - fetch: The predicate and the order.
  ///   - batchSize: The number of models in a batch; 0 or less for all.
  ///   - allowEscapingMutations: Whether changes may stay pending after a batch.
  ///   - block: Gets each model. An error ends the loop.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the descriptor includes pending changes and there
  ///   are any before the loop or, unless allowed, after a batch; `CancellationError` between two batches of a
  ///   cancelled task; the errors of `block` and ``fetch(_:)``.
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

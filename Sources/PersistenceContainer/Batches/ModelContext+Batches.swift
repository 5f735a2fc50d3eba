import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// The models of a fetch, read in batches on first access. Apple's.
  ///
  /// The keys of the rows are read at once, 8 bytes each. At most two batches of models are in memory. Use the
  /// collection only on the context's actor or thread.
  /// - Parameters:
  ///   - descriptor: The predicate and the order.
  ///   - batchSize: The number of models in a batch; 0 or less for all.
  /// - Returns: The models.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the descriptor includes pending changes and the
  ///   context has any, and the errors of ``fetch(_:)``.
  ///
  /// ```swift
  /// let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]), batchSize: 100)
  /// print(trips.count, trips[5_000].name)
  /// // SELECT "_osd_key" FROM "Trip" ORDER BY "name", "_osd_key"
  /// // SELECT … FROM "Trip" WHERE "_osd_key" IN (100 keys)
  /// ```
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    ModelBatches(try batchRequest(descriptor), batchSize: batchSize, context: self).results
  }

  /// The identifiers of the models of a fetch. Apple's.
  ///
  /// The keys of the rows are read at once, 8 bytes each; an identifier is created on access. For a class with
  /// subclasses, all identifiers are created at once, because each row stores its class.
  /// - Parameters:
  ///   - descriptor: The predicate and the order.
  ///   - batchSize: For a class with subclasses, the number of rows whose classes one query reads; 0 or less for all.
  /// - Returns: The identifiers.
  /// - Throws: If the descriptor includes pending changes and the context has any:
  ///   `SwiftDataError.sortingPendingChangesWithIdentifiers` for a sorted fetch, or else
  ///   `.includePendingChangesWithBatchSize`. Also the errors of ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    do {
      return try batchRequest(descriptor).identifiers(lookingAtOnceAt: batchSize)
    } catch SwiftDataError.includePendingChangesWithBatchSize where !descriptor.sortBy.isEmpty {
      throw SwiftDataError(
        .sortingPendingChangesWithIdentifiers,
        "a fetch of identifiers of \(T.self) in batches cannot sort changes that this context has not saved; save or "
          + "roll back first, set includePendingChanges to false, or fetch all identifiers at once")
    }
  }
}

extension ModelContext {
  /// Calls a block with every model of a fetch, in order, with one batch in memory at a time. Apple's.
  ///
  /// The loop needs the memory of one batch and 8 bytes for each row. A model that the program does not retain is freed
  /// with its batch. Changed models stay in memory until they are saved; so, by default, the block must save its
  /// changes before a batch ends. Rows that are deleted meanwhile are left out.
  ///
  /// ```swift
  /// try context.enumerate(FetchDescriptor<Trip>(), batchSize: 100) { trip in print(trip.name) }
  /// // SELECT "_osd_key" FROM "Trip" ORDER BY "_osd_key"
  /// // SELECT … FROM "Trip" WHERE "_osd_key" IN (100 keys)
  /// ```
  /// - Parameters:
  ///   - fetch: The predicate and the order.
  ///   - batchSize: The number of models in a batch; 0 or less for all.
  ///   - allowEscapingMutations: Whether the block may leave unsaved changes at the end of a batch.
  ///   - block: Gets each model. An error ends the loop.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the descriptor includes pending changes and the
  ///   context has any before the loop, or if a batch leaves unsaved changes in a context that had none and
  ///   `allowEscapingMutations` is false; `CancellationError` between two batches of a cancelled task; the errors of
  ///   `block` and ``fetch(_:)``.
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

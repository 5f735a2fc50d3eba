import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// The models that a descriptor means, read in batches when they are touched.
  ///
  /// Which models there are is decided now. Memory holds two batches, and 8 bytes for every other model.
  /// - Parameter batchSize: How many models are read at once; 0 or less for all.
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` when the descriptor includes pending changes and
  ///   there are some, and what ``fetch(_:)`` throws.
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

  /// The identifiers of the models that a descriptor means.
  ///
  /// Memory holds 8 bytes for each, and makes an identifier of them when it is touched. Those of a class that others
  /// inherit from are made now, since the class of each is in its row.
  /// - Parameter batchSize: How many rows are looked at at once for that; 0 or less for all.
  /// - Throws: `SwiftDataError.sortingPendingChangesWithIdentifiers` when the descriptor sorts, includes pending
  ///   changes and there are some, `.includePendingChangesWithBatchSize` when it does not sort, and what ``fetch(_:)``
  ///   throws.
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

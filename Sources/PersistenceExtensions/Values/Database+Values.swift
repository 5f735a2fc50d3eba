import PersistenceContainer
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

extension ModelContext {
  /// The models of a fetch as values, which may leave the context. Ours.
  ///
  /// Values have all properties: `propertiesToFetch` and `relationshipKeyPathsForPrefetching` have no effect. Unsaved
  /// changes are included in the same way as by ``fetch(_:)``. Models are created only in three cases: the entity or
  /// another one that the order reads has unsaved changes; memory evaluates the predicate or the order; inheritance.
  ///
  /// ```swift
  /// let books = try context.fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 300 }))
  /// let json = try JSONEncoder().encode(books)
  /// ```
  /// - Parameter descriptor: The predicate and the order.
  /// - Returns: The values.
  /// - Throws: `SwiftDataError` of the predicate, of the store, or of a stored value that its property cannot hold.
  public func fetchValues<T: ValueReadable>(_ descriptor: FetchDescriptor<T>) throws -> [T.Value] {
    saveIfDue()
    let map = try requireIdentityMap(for: T.self)
    var whole = descriptor
    whole.propertiesToFetch = []
    whole.relationshipKeyPathsForPrefetching = []
    let plan = try FetchPlan(whole, in: map)
    let ignoresPending = !descriptor.includePendingChanges || !(hasPending(map) || hasPending(plan.orderedBy))
    guard !plan.filtersInMemory, !plan.sortsInMemory, ignoresPending, map.entity.inheritance == nil else {
      return try fetch(whole).map(T._$value)
    }
    return try map.store.values(plan.request, in: map, as: T.self)
  }
}

// These functions read concurrently: each call uses its own context on a reader thread (if there are any).

extension Database {
  /// The models of a fetch as values. Ours. Any actor may call it.
  ///
  /// The call reads committed data. In a database with reader threads, it does not wait for other calls.
  ///
  /// ```swift
  /// let cheap = try await database.fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.price < 10 }))
  /// ```
  /// - Parameter descriptor: The predicate and the order.
  /// - Returns: The values.
  /// - Throws: `CancellationError`, and `SwiftDataError` of the predicate or of the store.
  public func fetchValues<T: ValueReadable>(_ descriptor: FetchDescriptor<T>) async throws -> [T.Value] {
    try await read { context in try context.fetchValues(descriptor) }
  }
}

extension ModelContainer {
  /// The models of a fetch as values. Ours. Any actor may call it.
  ///
  /// The call reads committed data. It does not wait for saves or other reads.
  /// - Parameter descriptor: The predicate and the order.
  /// - Returns: The values.
  /// - Throws: `CancellationError`, and `SwiftDataError` of the predicate or of the store.
  public func fetchValues<T: ValueReadable>(_ descriptor: FetchDescriptor<T>) async throws -> [T.Value] {
    try await read { context in try context.fetchValues(descriptor) }
  }
}

import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

extension ModelContext {
  /// What a fetch would return, as values that may leave the context. No objects are made.
  ///
  /// The values are whole: `propertiesToFetch` and prefetching mean nothing here. Changes that are not saved yet count
  /// as they do in ``fetch(_:)``. Only while the context has some of the entity, where the predicate or the order has to be
  /// evaluated in memory, and for models that inherit from each other, are values made of objects.
  ///
  /// ```swift
  /// let books = try context.fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 300 }))
  /// let json = try JSONEncoder().encode(books)
  /// ```
  /// - Throws: `SwiftDataError` of the predicate, of the store, or of a stored value that its property cannot hold.
  public func fetchValues<T: ValueReadable>(_ descriptor: FetchDescriptor<T>) throws -> [T.Value] {
    saveIfDue()
    let map = try requireIdentityMap(for: T.self)
    var whole = descriptor
    whole.propertiesToFetch = []
    whole.relationshipKeyPathsForPrefetching = []
    let plan = try FetchPlan(whole, in: map)
    let ignoresPending = !descriptor.includePendingChanges || !hasPending(map)
    guard !plan.filtersInMemory, !plan.sortsInMemory, ignoresPending, map.entity.inheritance == nil else {
      return try fetch(whole).map(T._$value)
    }
    return try map.store.values(plan.request, in: map, as: T.self)
  }
}

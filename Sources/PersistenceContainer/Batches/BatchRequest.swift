import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// The keys of the rows of a fetch in batches, in order.
struct BatchRequest<T: PersistentModel> {
  let descriptor: FetchDescriptor<T>
  let map: IdentityMap
  let keys: [Int64]
  let mask: UInt64
}

extension ModelContext {
  /// Reads the keys of a fetch in batches.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if pending changes would have to be merged.
  func batchRequest<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> BatchRequest<T> {
    beginReading()
    let map = try requireIdentityMap(for: T.self)
    try requireExecution(for: map.entity)
    defer { noticeForeignChanges(in: map.store) }
    let plan = try FetchPlan(descriptor, in: map)
    if descriptor.includePendingChanges, isChanged(map) || isChanged(plan.orderedBy) {
      throw SwiftDataError(
        .includePendingChangesWithBatchSize,
        "a fetch of \(map.entity.name) in batches cannot merge the changes that this context has not saved; "
          + "save or roll back first, or set includePendingChanges to false")
    }
    return BatchRequest(descriptor: descriptor, map: map, keys: try keys(of: plan), mask: plan.request.mask)
  }

  private func keys<T: PersistentModel>(of plan: FetchPlan<T>) throws -> [Int64] {
    if plan.sortsInMemory { return try models(plan.descriptor, in: plan.map).map { $0._$state.pointee.primaryKey } }
    let keys = try plan.map.store.engine.keys(plan.request, in: openTransaction(of: plan.map.store))
    guard plan.filtersInMemory else { return keys }
    // The predicate is evaluated in batches too, so that memory does not hold all rows.
    var matching: [Int64] = []
    for start in stride(from: 0, to: keys.count, by: Self.judgedAtOnce) {
      let part = keys[start..<Swift.min(start + Self.judgedAtOnce, keys.count)]
      for model in try models(of: Array(part), mask: PropertyMask.all, in: plan.map) as [T]
      where try plan.matches(model) {
        matching.append(model._$state.pointee.primaryKey)
      }
    }
    return plan.window(matching)
  }

  private static var judgedAtOnce: Int { 5_000 }

  /// Reads the models of some rows. Deleted rows are left out.
  func batch<T: PersistentModel>(
    _ keys: ArraySlice<Int64>, of descriptor: FetchDescriptor<T>, mask: UInt64, in map: IdentityMap
  ) throws -> [T] {
    let models: [T] = try models(of: Array(keys), mask: mask, in: map)
    if !descriptor.relationshipKeyPathsForPrefetching.isEmpty {
      try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models, in: map)
    }
    return models
  }
}

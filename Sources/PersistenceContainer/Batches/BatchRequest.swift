import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// A fetch in batches, with the keys of its rows in the order of the fetch.
struct BatchRequest<T: PersistentModel> {
  let descriptor: FetchDescriptor<T>
  let map: IdentityMap
  let keys: [Int64]
  let mask: UInt64
}

extension ModelContext {
  /// Reads the keys of the rows that a fetch in batches returns.
  ///
  /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the fetch includes pending changes, and the
  ///   context has unsaved changes that may affect its rows or their order.
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
    let keys = try storedKeys(plan.request, in: plan.map)
    guard plan.filtersInMemory else { return keys }
    // The predicate is evaluated in memory, one batch of models at a time, so that memory does not hold all rows.
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

  /// Reads the models of some rows; nil for a missing row. A subscript of a collection cannot throw, so an error is
  /// logged and `isComplete` is false. The caller then creates models that read their rows on first access.
  package func loggingBatch<T: PersistentModel>(
    _ keys: ArraySlice<Int64>, of descriptor: FetchDescriptor<T>, mask: UInt64, in map: IdentityMap
  ) -> (models: [T?], isComplete: Bool) {
    var found: [T] = []
    var isComplete = true
    do {
      found = try batch(keys, of: descriptor, mask: mask, in: map)
    } catch {
      map.noteReadFailure(error)
      isComplete = false
    }
    let models = withExtendedLifetime(found) {
      keys.map { key in map.object(for: key).map { unsafeDowncast($0, to: T.self) } }
    }
    return (models, isComplete)
  }

  /// Reads the models of some rows, without rows that have been deleted.
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

extension PersistentModel {
  /// The placeholder for a row that a batch did not find is a deleted model. If the batch could not be read, the
  /// placeholder is a model that reads its row on first access.
  package static func _$absent(_ key: Int64, isRead: Bool, in map: IdentityMap) -> Self {
    let unread = isRead ? nil : map.unreadObject(for: key, as: Self.self)
    return unread ?? _$standIn(in: map, key: key)
  }
}

extension BatchRequest {
  /// The identifiers of the rows.
  ///
  /// An identifier is created from the row's key. In a class hierarchy it also needs the row's class, which is stored
  /// in the row. The classes are read now, because a subscript of a collection cannot throw.
  ///
  /// - Parameter count: In a hierarchy, the number of rows whose classes one query reads; 0 or less for all rows.
  /// - Throws: `SwiftDataError` of the store.
  func identifiers(lookingAtOnceAt count: Int) throws -> FetchResultsCollection<PersistentIdentifier> {
    if map.entity.isPolymorphic {
      let identifiers = try familyIdentifiers(lookingAtOnceAt: count > 0 ? count : max(1, keys.count))
      return FetchResultsCollection(count: identifiers.count) { identifiers[$0] }
    }
    let (keys, entity) = (keys, map.store.storeEntity(of: map.entity))
    return FetchResultsCollection(count: keys.count) { PersistentIdentifier(row: keys[$0], of: entity) }
  }

  private func familyIdentifiers(lookingAtOnceAt count: Int) throws -> [PersistentIdentifier] {
    var identifiers: [PersistentIdentifier] = []
    identifiers.reserveCapacity(keys.count)
    for start in stride(from: 0, to: keys.count, by: count) {
      let part = Array(keys[start..<Swift.min(start + count, keys.count)])
      var known: [Int64: PersistentIdentifier] = [:]
      let request = FetchRequest(entity: map.entity, selection: .keys(part))
      for identifier in try map.store.familyIdentifiers(request, in: map) {
        if let key = map.store.key(of: identifier) { known[key] = identifier }
      }
      // A row that was deleted after its key was read is left out, as in a fetch.
      identifiers.append(contentsOf: part.compactMap { known[$0] })
    }
    return identifiers
  }
}

import Foundation
import PersistenceQueries
import PersistenceRuntime

extension ModelContext {
  /// The models that match a descriptor, in its order. Apple's.
  ///
  /// The result contains the context's one object for each row. Objects without pending changes get the current values
  /// of their rows. A stored value that its property cannot hold leaves that property unread (``unreadValues``). Use it
  /// only where the context is used.
  ///
  /// ```swift
  /// let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 5 }))
  /// // SELECT "_osd_key", "name", "days" FROM "Trip" WHERE "days" > ?1 ORDER BY "_osd_key"
  /// ```
  /// - Parameter descriptor: The predicate, the order and the window.
  /// - Returns: The models.
  /// - Throws: `SwiftDataError` of the predicate, of the store, or of a stored value that a filter in memory cannot read;
  ///   `CancellationError` if the task is cancelled during a long fetch. A short fetch completes in a cancelled task,
  ///   so that it can clean up.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    beginReading()
    let map = try requireIdentityMap(for: T.self)
    try requireExecution(for: map.entity)
    let models = try models(descriptor, in: map)
    noticeForeignChanges(in: map.store)
    if !descriptor.relationshipKeyPathsForPrefetching.isEmpty {
      try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models, in: map)
    }
    return models
  }

  package func models<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, in map: IdentityMap) throws -> [T] {
    let (plan, mergesPending) = try preparedPlan(descriptor, in: map)
    if !descriptor.includePendingChanges, plan.filtersInMemory || plan.sortsInMemory, hasChanges {
      return try storedApart(plan)
    }
    return mergesPending ? try merged(plan) : try stored(plan)
  }

  /// The plan of a fetch, and whether to merge pending changes.
  func preparedPlan<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, in map: IdentityMap
  ) throws -> (plan: FetchPlan<T>, mergesPending: Bool) {
    var plan = try FetchPlan(descriptor, in: map)
    guard descriptor.includePendingChanges else { return (plan, false) }
    if hasPending(plan.orderedBy) { plan.orderInMemory() }
    guard hasPending(map) else { return (plan, false) }
    plan.widen(by: family(of: map).reduce(map.batchDeletedKeys.count) { $0 + $1.changed.count + $1.deleted.count })
    return (plan, true)
  }

  /// The number of models that a fetch returns. Apple's. Use it only where the context is used.
  ///
  /// ```swift
  /// let count = try context.fetchCount(FetchDescriptor<Trip>())
  /// // SELECT count(*) FROM "Trip"
  /// ```
  /// - Parameter descriptor: The predicate and the window.
  /// - Returns: The number.
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    beginReading()
    let map = try requireIdentityMap(for: T.self)
    let plan = try FetchPlan(descriptor, in: map)
    guard !plan.filtersInMemory, !(descriptor.includePendingChanges && hasPending(map)) else {
      return try fetchIdentifiers(descriptor).count
    }
    var request = plan.request
    // The order does not change the count.
    request.sort = []
    request.limit = plan.limit
    request.offset = plan.offset
    defer { noticeForeignChanges(in: map.store) }
    return try map.store.engine.count(request, in: openTransaction(of: map.store))
  }

  /// The identifiers of the models that a fetch returns, in order. Apple's. No models are created, unless pending
  /// changes have to be merged. Use it only where the context is used.
  ///
  /// - Parameter descriptor: The predicate, the order and the window.
  /// - Returns: The identifiers.
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    beginReading()
    let map = try requireIdentityMap(for: T.self)
    let plan = try FetchPlan(descriptor, in: map)
    let isFree = !hasPending(map) && !hasPending(plan.orderedBy)
    let ignoresPending = !descriptor.includePendingChanges || isFree
    let needsNoObjects =
      map.changes?.hasOnlyBatchDeletions == true && map.entity.inheritance == nil && !hasPending(plan.orderedBy)
    guard !plan.filtersInMemory, !plan.sortsInMemory, ignoresPending || needsNoObjects else {
      return try fetch(descriptor).map(\.persistentModelID)
    }
    defer { noticeForeignChanges(in: map.store) }
    guard !map.entity.isPolymorphic else { return try map.store.familyIdentifiers(plan.request, in: map) }
    let entity = map.store.storeEntity(of: map.entity)
    return try keys(plan, without: ignoresPending ? [] : map.batchDeletedKeys).map {
      PersistentIdentifier(row: $0, of: entity)
    }
  }

  /// The keys of a plan without those of batch-deleted rows.
  private func keys<T: PersistentModel>(_ plan: FetchPlan<T>, without batchDeletedKeys: Set<Int64>) throws -> [Int64] {
    var plan = plan
    if !batchDeletedKeys.isEmpty { plan.widen(by: batchDeletedKeys.count) }
    let keys = try plan.map.store.engine.keys(plan.request, in: openTransaction(of: plan.map.store))
    return batchDeletedKeys.isEmpty ? keys : plan.window(keys.filter { !batchDeletedKeys.contains($0) })
  }

  /// The result of the store, without pending changes.
  func stored<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    let models = try storedModels(plan)
    guard plan.filtersInMemory || plan.sortsInMemory else { return models }
    let matching = plan.filtersInMemory ? try plan.filtered(models) : models
    return plan.window(plan.sortsInMemory ? try plan.sorted(matching) : matching)
  }

  private func storedModels<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    let group = plan.map.entity.loadsInGroupsInFamily ? FetchGroup(isComplete: plan.request.meansEverything) : nil
    let objects = try plan.map.store.objects(plan.request, in: plan.map, group: group)
    // The map holds only objects of this type, and an object reference is one word for any class.
    return unsafe unsafeBitCast(Array(objects), to: [T].self)
  }

  /// The result of the store without pending changes, if memory filters or sorts and objects have other values than
  /// their rows.
  ///
  /// A temporary context without changes evaluates the rows. The result contains this context's objects.
  private func storedApart<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    guard transactionSnapshot == nil, !plan.map.entity.runsInContext else { return try stored(plan) }
    let apart = ModelContext(stores: stores)
    let keys = try apart.fetch(plan.descriptor).map { $0._$state.pointee.primaryKey }
    return try models(of: keys, mask: plan.request.mask, in: plan.map)
  }

  /// The objects of some rows, in the order of the keys, without deleted rows.
  package func models<T: PersistentModel>(of keys: [Int64], mask: UInt64, in map: IdentityMap) throws -> [T] {
    let request = FetchRequest(entity: map.entity, selection: .keys(keys), mask: mask)
    let group = map.entity.loadsInGroupsInFamily ? FetchGroup() : nil
    let objects = try map.store.objects(request, in: map, group: group)
    // The map does not retain objects.
    return withExtendedLifetime(objects) {
      keys.compactMap { key in map.object(for: key).map { unsafeDowncast($0, to: T.self) } }
    }
  }

  /// The result as it will be after the next save.
  ///
  /// The store matches rows without pending changes. Memory matches changed and new objects by their current values.
  private func merged<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    let batchDeletedKeys = plan.map.batchDeletedKeys
    var models = try storedModels(plan).filter { model in
      !model.hasChanges && (batchDeletedKeys.isEmpty || !batchDeletedKeys.contains(model._$state.pointee.primaryKey))
    }
    if plan.filtersInMemory { models = try plan.filtered(models) }
    let clean = models.count
    let family = family(of: plan.map)
    for list in family.map(\.livingChanged) + family.map(\.livingInserted) {
      for object in list {
        let model = unsafeDowncast(object, to: T.self)
        if try plan.matches(model) { models.append(model) }
      }
    }
    let needsOrder = models.count > clean || plan.sortsInMemory
    return plan.window(needsOrder ? try plan.inOrder(models) : models)
  }
}

extension ModelContext {
  /// Whether changes of an entity, or of one that inherits from it, are pending.
  package func hasPending(_ map: IdentityMap) -> Bool {
    guard map.entity.inheritance != nil else { return map.changes?.hasPending == true }
    return family(of: map).contains(where: \.hasPending)
  }

  /// Whether changes of some types, or of types that inherit from them, are pending.
  package func hasPending(_ types: [any PersistentModel.Type]) -> Bool {
    // The context may have used a subclass alone.
    types.contains { type in identityMap(for: type).map { hasPending($0) } ?? false }
  }

  /// Whether the next save changes rows of an entity, or of one that inherits from it.
  ///
  /// Unlike ``hasPending(_:)`` it ignores changes that were taken back.
  package func isChanged(_ map: IdentityMap) -> Bool {
    hasChanges && hasPending(map) && (!map.batchDeletedKeys.isEmpty || family(of: map).contains(where: \.isChanged))
  }

  /// Whether the next save changes rows of some types, or of types that inherit from them.
  package func isChanged(_ types: [any PersistentModel.Type]) -> Bool {
    types.contains { type in identityMap(for: type).map { isChanged($0) } ?? false }
  }
}

extension EntityChanges {
  fileprivate var isChanged: Bool { !livingInserted.isEmpty || !livingChanged.isEmpty || !livingDeleted.isEmpty }
}

extension FetchPlan {
  /// The models in the order of the descriptor, then by key, then new models in order of insertion.
  func inOrder(_ models: [T]) throws -> [T] {
    let byKey = models.enumerated().sorted { left, right in
      let keys = (left.element._$state.pointee.primaryKey, right.element._$state.pointee.primaryKey)
      if keys.0 == keys.1 { return left.offset < right.offset }
      return keys.0 != 0 && (keys.1 == 0 || keys.0 < keys.1)
    }.map(\.element)
    return descriptor.sortBy.isEmpty ? byKey : try sorted(byKey)
  }
}

import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// The models that match a descriptor, in its order. Apple's.
  ///
  /// The result contains the context's one object for each row. Objects without pending changes get the current values
  /// of their rows. A property that cannot hold its stored value stays unread (``unreadValues``). Use this method only
  /// where the context is used.
  ///
  /// ```swift
  /// let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 5 }))
  /// // SELECT "_osd_key", "name", "days" FROM "Trip" WHERE "days" > ?1 ORDER BY "_osd_key"
  /// ```
  /// - Parameter descriptor: The predicate, the order and the window.
  /// - Returns: The models.
  /// - Throws: `SwiftDataError` of the predicate, of the store, or of a stored value that a filter in memory cannot
  ///   read; `CancellationError` if the task is cancelled during a long fetch. A short fetch completes in a cancelled
  ///   task, so that the task can clean up.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    beginReading()
    let map = try requireIdentityMap(for: T.self)
    try requireExecution(for: map.entity)
    let models = try models(descriptor, in: map)
    noticeForeignChanges(in: map.store)
    let prefetched = descriptor.relationshipKeyPathsForPrefetching
    if prefetched.count > 0 { try prefetch(prefetched, of: models, in: map) }
    return models
  }

  package func models<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, in map: IdentityMap) throws -> [T] {
    let (plan, mergesPending) = try preparedPlan(descriptor, in: map)
    if !descriptor.includePendingChanges, plan.filtersInMemory || plan.sortsInMemory, hasChanges {
      return try storedApart(plan)
    }
    return mergesPending ? try merged(plan) : try stored(plan)
  }

  /// The plan of a fetch, and whether the fetch has to merge pending changes.
  package func preparedPlan<T: PersistentModel>(
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

  /// The keys of a plan, without the keys of batch-deleted rows.
  private func keys<T: PersistentModel>(_ plan: FetchPlan<T>, without batchDeletedKeys: Set<Int64>) throws -> [Int64] {
    var plan = plan
    if !batchDeletedKeys.isEmpty { plan.widen(by: batchDeletedKeys.count) }
    let keys = try storedKeys(plan.request, in: plan.map)
    return batchDeletedKeys.isEmpty ? keys : plan.window(keys.filter { !batchDeletedKeys.contains($0) })
  }

  /// The keys of the rows of a request, without the key 0, which another program can insert and which no model has.
  package func storedKeys(_ request: FetchRequest, in map: IdentityMap) throws -> [Int64] {
    let keys = try map.store.engine.keys(request, in: openTransaction(of: map.store))
    return keys.contains(0) ? keys.filter { $0 != 0 } : keys
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

  /// The result of the store without pending changes, for a filter or an order in memory when objects have other values
  /// than their rows.
  ///
  /// A temporary context without changes evaluates the rows. The result contains the objects of this context.
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

  /// The result that the fetch would have after the next save.
  ///
  /// The store filters rows without pending changes. Memory filters changed and new objects by their current values.
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
  /// Whether changes of an entity, or of an entity that inherits from it, are pending.
  package func hasPending(_ map: IdentityMap) -> Bool {
    guard map.entity.inheritance != nil else { return map.changes?.hasPending == true }
    return family(of: map).contains(where: \.hasPending)
  }

  /// Whether changes of some types, or of types that inherit from them, are pending.
  package func hasPending(_ types: [any PersistentModel.Type]) -> Bool {
    // `identityMap(for:)` creates a missing map: the context may have used only a subclass of the type.
    types.contains { type in identityMap(for: type).map { hasPending($0) } ?? false }
  }

  /// Whether the next save changes rows of an entity, or of an entity that inherits from it.
  ///
  /// Unlike ``hasPending(_:)`` it ignores reverted changes.
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

/// The plan of a fetch: the request to the store, and the work in memory.
package struct FetchPlan<T: PersistentModel> {
  package let descriptor: FetchDescriptor<T>
  package let map: IdentityMap
  /// The request to the store. It has no limit and no offset if rows are filtered or sorted in memory.
  package private(set) var request: FetchRequest
  /// Whether the predicate is evaluated in memory.
  package private(set) var filtersInMemory = false
  /// Whether the result is sorted in memory.
  package private(set) var sortsInMemory = false
  /// Descriptions of the parts of the fetch that run in memory.
  package private(set) var memoryWork: [String] = []
  /// The related models whose properties the sort order reads.
  package private(set) var orderedBy: [any PersistentModel.Type] = []

  /// - Throws: `SwiftDataError` for a predicate or an order that reads encrypted properties.
  package init(_ descriptor: FetchDescriptor<T>, in map: IdentityMap) throws {
    self.descriptor = descriptor
    self.map = map
    self.request = FetchRequest(entity: map.entity)
    request.stopsWhenCancelled = true
    let memory = descriptor.templateMemory(of: map.entity)
    if case .tree(let tree) = memory, map.store.readsTexts || !tree.readsTexts {
      request.selection = .matching(tree)
    } else {
      try translatePredicate(memory)
    }
    try translateSort()
    request.mask = try Self.mask(of: descriptor.propertiesToFetch, in: map)
    if map.store.identities != nil {
      request.origin = DescribedFetch(descriptor: descriptor, editor: map.context?.editingState)
    }
    // Rows are filtered or sorted in memory afterwards, so the store must not apply the limit and the offset.
    guard !filtersInMemory, !sortsInMemory else { return }
    request.limit = limit
    request.offset = offset
  }

  /// The maximum number of models; nil for all. A negative limit counts as 0.
  var limit: Int? { descriptor.fetchLimit.map { max($0, 0) } }
  var offset: Int { max(descriptor.fetchOffset ?? 0, 0) }

  private mutating func translatePredicate(_ memory: TemplateMemory.Memory) throws {
    guard let predicate = descriptor.predicate else { return }
    var translated = translate(predicate, memory, directory: map.store)
    // Rows of related models with pending changes are not current. So memory evaluates the parts that read these rows.
    let related = translated.relatedEntities.map(\.modelType)
    if descriptor.includePendingChanges, map.context?.hasPending(related) == true {
      translated = translate(predicate, memory, directory: nil)
    }
    if let tree = translated.tree { request.selection = .matching(tree) }
    guard !translated.obstacles.isEmpty else { return }
    try Self.checkEncryption(of: predicate, in: map.store)
    filtersInMemory = true
    let obstacles = Self.words(for: translated.obstacles)
    memoryWork.append("the predicate, because of \(obstacles)")
    MemoryWorkLog.current.say(
      "a predicate on \(map.entity.name) is evaluated in memory: \(obstacles)", to: map.store.logger)
  }

  /// The reasons why parts of a predicate are evaluated in memory, each once.
  private static func words(for obstacles: [UntranslatableExpression]) -> String {
    var known: Set<UntranslatableExpression> = []
    return obstacles.filter { known.insert($0).inserted }.map(\.description).joined(separator: "; ")
  }

  private func translate(
    _ predicate: Predicate<T>, _ memory: TemplateMemory.Memory, directory: (any EntityDirectory)?
  ) -> TranslatedPredicate {
    PredicateTranslator.translateParts(
      of: predicate, memory: memory, entity: map.entity, storeEntity: map.store.storeEntity(of: map.entity),
      directory: directory)
  }

  private mutating func translateSort() throws {
    // `count`, because `isEmpty` looks up the type of the elements at each call.
    guard descriptor.sortBy.count > 0 else { return }
    try Self.checkEncryption(of: descriptor.sortBy, in: map.store)
    do {
      let store = map.store
      request.sort = try SortTranslator.translate(
        descriptor.sortBy, entity: map.entity, readsTexts: store.readsTexts
      ) { store.layout(of: $0.destinationType) }
      try Self.checkEncryption(of: request.sort, on: map.entity, in: store)
      guard request.sort.contains(where: { !$0.steps.isEmpty }) else { return }
      orderedBy = request.sort.flatMap(\.steps).compactMap { store.layout(named: $0.destination)?.modelType }
    } catch let error as UntranslatableExpression {
      sortsInMemory = true
      memoryWork.append("the order, because of \(error)")
      MemoryWorkLog.current.say("an order of \(map.entity.name) is made in memory: \(error)", to: map.store.logger)
    }
  }

  /// Sorts in memory, because related models have pending changes.
  mutating func orderInMemory() {
    sortsInMemory = true
    request.sort = []
    request.limit = nil
    request.offset = 0
    memoryWork.append("the order, because models that it looks at have changes that are not saved")
  }

  /// Increases the limit by the number of rows that pending changes may remove, and applies the window in memory.
  mutating func widen(by pendingCount: Int) {
    request.limit = request.limit.map { limit in
      let (rows, isTooLarge) = limit.addingReportingOverflow(request.offset)
      let (all, isStillTooLarge) = rows.addingReportingOverflow(pendingCount)
      return isTooLarge || isStillTooLarge ? .max : all
    }
    request.offset = 0
  }

  /// The elements of a complete result that are inside of the limit and the offset.
  package func window<Element>(_ models: [Element]) -> [Element] {
    let start = min(offset, models.count)
    let end = limit.map { start + min($0, models.count - start) } ?? models.count
    return start == 0 && end == models.count ? models : Array(models[start..<end])
  }

  package func matches(_ model: T) throws -> Bool {
    guard let predicate = descriptor.predicate else { return true }
    return try map.reading {
      do {
        return try predicate.holds(for: model)
      } catch {
        throw SwiftDataError(
          .unsupportedPredicate,
          "a predicate on \(map.entity.name) can be evaluated neither by the store nor in memory", underlying: error)
      }
    }
  }

  /// The models that match. Checks every 256 models whether the task is cancelled.
  func filtered(_ models: [T]) throws -> [T] {
    var count: UInt8 = 0
    return try models.filter { model in
      count &+= 1
      if count == 0 { try Task.checkCancellation() }
      return try matches(model)
    }
  }

  func sorted(_ models: [T]) throws -> [T] {
    try map.reading { ModelOrder(criteria: descriptor.sortBy).sorted(models) }
  }
}

extension FetchPlan {
  /// The mask of the properties to read: the properties of `propertiesToFetch`, or all properties.
  ///
  /// For a longer key path, the mask contains the first property of the path.
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path that does not begin with a stored property.
  static func mask(of keyPaths: [PartialKeyPath<T>], in map: IdentityMap) throws -> UInt64 {
    guard keyPaths.count > 0 else { return PropertyMask.all }
    let entity = map.entity
    return try keyPaths.reduce(entity.constantMask) { mask, keyPath in
      if let property = entity.property(at: keyPath) { return mask | property.bit }
      let path = map.valuePath(of: keyPath)
      if path?.steps.isEmpty == true, path?.column == .key { return mask }
      guard let position = path?.firstPosition else {
        throw SwiftDataError(
          .unsupportedKeyPath,
          "propertiesToFetch of a fetch of \(entity.name) has a key path to a \(type(of: keyPath).valueType) that is "
            + "not stored. List stored properties; what is computed of them is there when they are.")
      }
      return mask | entity.properties[position].bit
    }
  }
}

extension ValuePath {
  /// The position of the first property of the path; nil for the primary key, which is always read.
  fileprivate var firstPosition: Int? {
    if let step = steps.first { return step.position }
    return switch column {
    case .property(let position, _), .relationship(let position): position
    case .key: nil
    }
  }
}

// The store cannot evaluate encrypted properties. A predicate or an order by such a property is rejected, because its
// evaluation in memory would have to decrypt every row.

extension FetchPlan {
  /// - Throws: `SwiftDataError.unsupportedPredicate` if a predicate that is evaluated in memory reads an encrypted
  ///   property of this model or of a related model.
  static func checkEncryption(of predicate: Predicate<T>, in store: StoreCoordinator) throws {
    guard store.hasEncrypted else { return }
    for keyPath in PredicateKeyPaths.all(in: predicate) {
      guard let outOfRow = store.outOfRowValue(at: keyPath), outOfRow.isEncrypted else { continue }
      throw SwiftDataError(
        .unsupportedPredicate,
        "\(outOfRow.entity).\(outOfRow.property) is encrypted, so that no predicate can ask for more than whether it is "
          + "nil. Fetch with the rest of the predicate, and filter the models in Swift.")
    }
  }

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for an order by an encrypted property.
  static func checkEncryption(of order: [SortDescriptor<T>], in store: StoreCoordinator) throws {
    guard store.hasEncrypted else { return }
    for descriptor in order {
      guard let keyPath = descriptor.keyPath, let outOfRow = store.outOfRowValue(at: keyPath), outOfRow.isEncrypted
      else { continue }
      throw unsortable(outOfRow)
    }
  }

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for a term by an encrypted property of this model or of a
  ///   related model.
  static func checkEncryption(of terms: [SortTerm], on entity: EntityLayout, in store: StoreCoordinator) throws {
    guard store.hasEncrypted else { return }
    for term in terms {
      let end = term.steps.last.flatMap { store.layout(named: $0.destination) } ?? entity
      guard let outOfRow = end.outOfRowValue(at: term.property), outOfRow.isEncrypted else { continue }
      throw unsortable(outOfRow)
    }
  }

  private static func unsortable(_ outOfRow: OutOfRowValue) -> SwiftDataError {
    SwiftDataError(
      .unsupportedSortDescriptor,
      "\(outOfRow.entity).\(outOfRow.property) is encrypted, so that the store cannot sort by it. "
        + "Fetch without the order, and sort the models in Swift.")
  }
}

extension StoreCoordinator {
  /// How a property stores its out-of-row value, by a key path of any model; nil if it has no such value.
  fileprivate func outOfRowValue(at keyPath: AnyKeyPath) -> OutOfRowValue? {
    guard let model = type(of: keyPath).rootType as? any PersistentModel.Type else { return nil }
    return layout(of: model)?.property(at: keyPath)?.outOfRowValue
  }
}

import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// The models that match a descriptor, in its order. Apple's.
  ///
  /// The context has one object for each row, and the result contains this object. If the object has no pending
  /// changes, the fetch updates its values from the row. A property that cannot hold its stored value stays unread
  /// (``unreadValues``). Call this method only on the thread or actor of the context.
  ///
  /// ```swift
  /// let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 5 }))
  /// // SELECT "_osd_key", "name", "days" FROM "Trip" WHERE "days" > ?1 ORDER BY "_osd_key"
  /// ```
  /// - Parameter descriptor: The predicate, the order and the window.
  /// - Returns: The models.
  /// - Throws: `SwiftDataError` if the predicate is not supported, if the store fails, or if a filter in memory cannot
  ///   read a stored value. `CancellationError` if the task is cancelled during a long fetch. A short fetch completes
  ///   even in a cancelled task, so that the task can clean up.
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

  /// The plan of a fetch, and whether the fetch has to merge the result of the store with pending changes.
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

  /// The number of models that a fetch returns. Apple's. Call it only on the thread or actor of the context.
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

  /// The identifiers of the models that a fetch returns, in the same order. Apple's. Call it only on the thread or
  /// actor of the context. Creates models only to evaluate a predicate or an order in memory, or to merge pending
  /// changes.
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

  /// The keys of the rows that a plan fetches, without the keys of batch-deleted rows.
  private func keys<T: PersistentModel>(_ plan: FetchPlan<T>, without batchDeletedKeys: Set<Int64>) throws -> [Int64] {
    var plan = plan
    if !batchDeletedKeys.isEmpty { plan.widen(by: batchDeletedKeys.count) }
    let keys = try storedKeys(plan.request, in: plan.map)
    return batchDeletedKeys.isEmpty ? keys : plan.window(keys.filter { !batchDeletedKeys.contains($0) })
  }

  /// The keys of the rows of a request, without the key 0: another program can insert such a row, but no model has it.
  package func storedKeys(_ request: FetchRequest, in map: IdentityMap) throws -> [Int64] {
    let keys = try map.store.engine.keys(request, in: openTransaction(of: map.store))
    return keys.contains(0) ? keys.filter { $0 != 0 } : keys
  }

  /// The objects of the rows that match, regardless of pending changes. Filters and sorts in memory if necessary.
  func stored<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    let models = try storedModels(plan)
    guard plan.filtersInMemory || plan.sortsInMemory else { return models }
    let matching = plan.filtersInMemory ? try plan.filtered(models) : models
    return plan.window(plan.sortsInMemory ? try plan.sorted(matching) : matching)
  }

  private func storedModels<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    let group = plan.map.entity.loadsInGroupsInFamily ? FetchGroup(isComplete: plan.request.meansEverything) : nil
    let objects = try plan.map.store.objects(plan.request, in: plan.map, group: group)
    // The map contains only objects of this type, and a reference to an object of any class is one word.
    return unsafe unsafeBitCast(Array(objects), to: [T].self)
  }

  /// The result of a fetch that ignores pending changes, if it filters or sorts in memory while changes are pending.
  ///
  /// The objects of this context have pending values, so a temporary context reads the rows and evaluates them. The
  /// result contains this context's objects of the same rows.
  private func storedApart<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    guard transactionSnapshot == nil, !plan.map.entity.runsInContext else { return try stored(plan) }
    let apart = ModelContext(stores: stores)
    let keys = try apart.fetch(plan.descriptor).map { $0._$state.pointee.primaryKey }
    return try models(of: keys, mask: plan.request.mask, in: plan.map)
  }

  /// The objects of the rows with the given keys, in the order of the keys. Deleted rows are omitted.
  package func models<T: PersistentModel>(of keys: [Int64], mask: UInt64, in map: IdentityMap) throws -> [T] {
    let request = FetchRequest(entity: map.entity, selection: .keys(keys), mask: mask)
    let group = map.entity.loadsInGroupsInFamily ? FetchGroup() : nil
    let objects = try map.store.objects(request, in: map, group: group)
    // The map does not retain the objects, so this function retains them until the result contains them.
    return withExtendedLifetime(objects) {
      keys.compactMap { key in map.object(for: key).map { unsafeDowncast($0, to: T.self) } }
    }
  }

  /// The result that the fetch would have after a save of the pending changes.
  ///
  /// The store filters the rows of unchanged objects. Changed and new objects are filtered in memory by their current
  /// values. Deleted objects are omitted.
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
  /// Returns true if objects of an entity, or of an entity that inherits from it, have pending changes.
  package func hasPending(_ map: IdentityMap) -> Bool {
    if !cascadedRows.isEmpty { readCascadedKeys() }
    guard map.entity.inheritance != nil else { return map.changes?.hasPending == true }
    return family(of: map).contains(where: \.hasPending)
  }

  /// Returns true if objects of one of the types, or of a type that inherits from it, have pending changes.
  package func hasPending(_ types: [any PersistentModel.Type]) -> Bool {
    // `identityMap(for:)` creates a missing map: the context may have used only a subclass of the type.
    types.contains { type in identityMap(for: type).map { hasPending($0) } ?? false }
  }

  /// Returns true if the next save would write rows of an entity, or of an entity that inherits from it.
  ///
  /// Unlike ``hasPending(_:)``, it does not count objects whose changes were reverted.
  package func isChanged(_ map: IdentityMap) -> Bool {
    hasChanges && hasPending(map) && (!map.batchDeletedKeys.isEmpty || family(of: map).contains(where: \.isChanged))
  }

  /// Returns true if the next save would write rows of one of the types, or of a type that inherits from it.
  package func isChanged(_ types: [any PersistentModel.Type]) -> Bool {
    types.contains { type in identityMap(for: type).map { isChanged($0) } ?? false }
  }
}

extension EntityChanges {
  fileprivate var isChanged: Bool { !livingInserted.isEmpty || !livingChanged.isEmpty || !livingDeleted.isEmpty }
}

extension FetchPlan {
  /// The models in the order of the descriptor. Models that the descriptor does not order are sorted by key; new models
  /// come last, in the order of their insertion.
  func inOrder(_ models: [T]) throws -> [T] {
    let byKey = models.enumerated().sorted { left, right in
      let keys = (left.element._$state.pointee.primaryKey, right.element._$state.pointee.primaryKey)
      if keys.0 == keys.1 { return left.offset < right.offset }
      return keys.0 != 0 && (keys.1 == 0 || keys.0 < keys.1)
    }.map(\.element)
    return descriptor.sortBy.isEmpty ? byKey : try sorted(byKey)
  }
}

/// The plan of a fetch: which rows the store returns, and which filters and orders are evaluated in memory.
package struct FetchPlan<T: PersistentModel> {
  package let descriptor: FetchDescriptor<T>
  package let map: IdentityMap
  /// The request to the store. It has no limit and no offset if rows are filtered or sorted in memory.
  package private(set) var request: FetchRequest
  /// Whether the predicate is evaluated in memory. The store may already have filtered the rows by a part of it.
  package private(set) var filtersInMemory = false
  /// Whether the result is sorted in memory.
  package private(set) var sortsInMemory = false
  /// What is evaluated in memory and why, as text.
  package private(set) var memoryWork: [String] = []
  /// The types of the related models by whose properties the fetch sorts.
  package private(set) var orderedBy: [any PersistentModel.Type] = []

  /// - Throws: `SwiftDataError` if the predicate or the order reads encrypted properties.
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
    // The rows of related models do not contain pending changes. So predicates on these models are evaluated in memory.
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
    // `count` instead of `isEmpty`, because `isEmpty` looks up the type of the elements at each call.
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

  /// Requests enough rows to apply the limit and the offset in memory after pending changes have removed rows.
  mutating func widen(by pendingCount: Int) {
    request.limit = request.limit.map { limit in
      let (rows, isTooLarge) = limit.addingReportingOverflow(request.offset)
      let (all, isStillTooLarge) = rows.addingReportingOverflow(pendingCount)
      return isTooLarge || isStillTooLarge ? .max : all
    }
    request.offset = 0
  }

  /// Applies the offset and the limit of the descriptor to all matching elements.
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

  /// The models that match the predicate. Throws if the task is cancelled, which is checked every 256 models.
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
  /// The mask of the properties to read: those of `propertiesToFetch`, or all properties if it is empty.
  ///
  /// For a key path through several properties, the mask contains the first one.
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

// The store cannot compare encrypted values, and a comparison in memory would have to decrypt the value of every row.
// So a predicate or an order that reads an encrypted property is rejected.

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

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` if the order reads an encrypted property.
  static func checkEncryption(of order: [SortDescriptor<T>], in store: StoreCoordinator) throws {
    guard store.hasEncrypted else { return }
    for descriptor in order {
      guard let keyPath = descriptor.keyPath, let outOfRow = store.outOfRowValue(at: keyPath), outOfRow.isEncrypted
      else { continue }
      throw unsortable(outOfRow)
    }
  }

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` if a term reads an encrypted property of this model or of a
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
  /// Describes how the property at a key path of any model stores its out-of-row value; nil if it has no such value.
  fileprivate func outOfRowValue(at keyPath: AnyKeyPath) -> OutOfRowValue? {
    guard let model = type(of: keyPath).rootType as? any PersistentModel.Type else { return nil }
    return layout(of: model)?.property(at: keyPath)?.outOfRowValue
  }
}

import Foundation
import PersistenceContainer
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// Calculates aggregates over the rows of an entity, including the unsaved changes of a context.
struct AggregateRun<T: PersistentModel> {
  let context: ModelContext
  let map: IdentityMap
  let plan: FetchPlan<T>

  init(_ predicate: Predicate<T>?, in context: ModelContext) throws {
    context.beginReading()
    self.context = context
    self.map = try context.requireIdentityMap(for: T.self)
    self.plan = try FetchPlan(FetchDescriptor(predicate: predicate), in: map)
  }

  /// The results of each group. They are calculated in memory if the store cannot calculate them.
  func groups<Key: Hashable, each Result>(
    by grouping: () throws -> AggregateGrouping<Key>, inMemory key: (T) throws -> Key,
    _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> AggregateGroups<T, Key, repeat each Result> {
    try map.reading {
      do {
        return try storedGroups(by: try grouping(), key, repeat each aggregates)
      } catch let obstacle as UntranslatableExpression {
        MemoryWorkLog.current.say(
          "an aggregate of \(map.entity.name) is calculated in memory: \(obstacle)", to: map.store.logger)
        return try memoryGroups(by: key, repeat each aggregates)
      }
    }
  }

  private func storedGroups<Key: Hashable, each Result>(
    by grouping: AggregateGrouping<Key>, _ key: (T) throws -> Key, _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> AggregateGroups<T, Key, repeat each Result> {
    var columns: [AggregateColumn] = []
    var widths: [Int32] = []
    var isMergeable = true
    func add<Value>(_ aggregate: Aggregate<T, Value>) throws {
      let own = try aggregate.columns(map)
      columns += own
      widths.append(Int32(own.count))
      isMergeable = isMergeable && aggregate.isMergeable
    }
    repeat try add(each aggregates)
    let request = AggregateRequest(
      entity: map.entity, selection: plan.request.selection, group: grouping.operand, columns: columns)
    try check(request, isMergeable: isMergeable)
    var groups = AggregateGroups<T, Key, repeat each Result> { [map] in
      try AggregateGroup(repeat each aggregates, in: map)
    }
    try addStored(request, grouping, widths, to: &groups)
    let pending = try context.pendingModels(matching: plan)
    for model in pending { try groups.group(of: key(model)).take(model) }
    if !pending.isEmpty || !StorageOrder.isOrdered(Key.self) { groups.sortKeys() }
    return groups
  }

  /// - Throws: ``UntranslatableExpression`` if the aggregates can only be calculated in memory.
  private func check(_ request: AggregateRequest, isMergeable: Bool) throws {
    if plan.filtersInMemory { throw UntranslatableExpression("its predicate") }
    let areRelatedChanged = request.readsOtherRows && context.hasChanges
    if areRelatedChanged || context.hasPending(request.relatedTypes(in: map.store)) {
      throw UntranslatableExpression("changes to related models that are not saved")
    }
    if !isMergeable, context.hasPending(map) {
      throw UntranslatableExpression("different values among changes that are not saved")
    }
  }

  private func addStored<Key: Hashable, each Result>(
    _ request: AggregateRequest, _ grouping: AggregateGrouping<Key>, _ widths: [Int32],
    to groups: inout AggregateGroups<T, Key, repeat each Result>
  ) throws {
    var request = request
    request.selection = request.selection.excluding(context.judgedInMemory(of: map))
    defer { context.noticeForeignChanges(in: map.store) }
    do {
      try map.store.aggregate(request, in: context.openTransaction(of: map.store)) { rows in
        let session = ReadSession(identityMap: map, error: rows.error)
        try withExtendedLifetime(session) {
          var reader = RowReader(rows, session: session, mask: 0)
          while try reader.next() {
            try groups.group(of: grouping.read(reader)).take(reader, from: grouping.firstColumn, widths: widths)
          }
        }
      }
    } catch let error as SwiftDataError where error == .corruptValue {
      throw UnreadableOperand(request: request, map: map, context: context).error ?? error
    }
  }

  /// Calculates the aggregates in memory. The models are read in batches, unless the context has unsaved changes.
  private func memoryGroups<Key: Hashable, each Result>(
    by key: (T) throws -> Key, _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> AggregateGroups<T, Key, repeat each Result> {
    var groups = AggregateGroups<T, Key, repeat each Result> { [map] in
      try AggregateGroup(repeat each aggregates, in: map)
    }
    // If a row was deleted after its key was read, the batch contains a deleted model for it.
    for model in try models() where !model.isDeleted { try groups.group(of: key(model)).take(model) }
    groups.sortKeys()
    return groups
  }

  private func models() throws -> AnySequence<T> {
    if context.isChanged(map) { return AnySequence(try context.fetch(plan.descriptor)) }
    return AnySequence(try context.fetch(plan.descriptor, batchSize: 5_000))
  }
}

import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// The plan of a fetch: the request to the store, and the work in memory.
package struct FetchPlan<T: PersistentModel> {
  package let descriptor: FetchDescriptor<T>
  package let map: IdentityMap
  /// The request to the store. It has no limit and offset if memory filters or sorts.
  package private(set) var request: FetchRequest
  /// Whether memory evaluates the predicate.
  package private(set) var filtersInMemory = false
  /// Whether memory sorts.
  package private(set) var sortsInMemory = false
  /// The work in memory, described.
  private(set) var memoryWork: [String] = []
  /// The related models that the order reads.
  package private(set) var orderedBy: [any PersistentModel.Type] = []

  /// - Throws: `SwiftDataError` for a predicate or an order that reads encrypted properties.
  package init(_ descriptor: FetchDescriptor<T>, in map: IdentityMap) throws {
    self.descriptor = descriptor
    self.map = map
    self.request = FetchRequest(entity: map.entity)
    request.stopsWhenCancelled = true
    let memory = descriptor.templateMemory(of: map.entity)
    if case .tree(let tree) = memory {
      request.selection = .matching(tree)
    } else {
      try translatePredicate(memory)
    }
    try translateSort()
    request.mask = try Self.mask(of: descriptor.propertiesToFetch, in: map)
    // Memory drops or reorders rows, so the store must not apply the window.
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
    // The rows of related models with pending changes are not current, so memory evaluates those parts.
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
    guard !descriptor.sortBy.isEmpty else { return }
    try Self.checkEncryption(of: descriptor.sortBy, in: map.store)
    do {
      let store = map.store
      request.sort = try SortTranslator.translate(descriptor.sortBy, entity: map.entity) { relationship in
        store.layout(of: relationship.destinationType)
      }
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

  /// Widens the limit by the rows that pending changes may remove, and applies the window in memory.
  mutating func widen(by pendingCount: Int) {
    request.limit = request.limit.map { limit in
      let (rows, isTooLarge) = limit.addingReportingOverflow(request.offset)
      let (all, isStillTooLarge) = rows.addingReportingOverflow(pendingCount)
      return isTooLarge || isStillTooLarge ? .max : all
    }
    request.offset = 0
  }

  /// The elements of a complete result inside of the limit and the offset.
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

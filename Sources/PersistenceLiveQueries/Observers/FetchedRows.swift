import Foundation
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// The result of a fetch. It contains only the keys of the rows if the store could filter and sort them.
enum FetchedRows<T: PersistentModel> {
  /// The keys of the rows, in order. The columns of the rows have not been read.
  case keys([Int64], mask: UInt64)
  /// The models, in order. They are read if pending changes must be merged into the result, or if a part of the
  /// predicate or of the sort order must be evaluated in memory.
  case models([T])

  var count: Int {
    switch self {
    case .keys(let keys, _): keys.count
    case .models(let models): models.count
    }
  }

  /// Returns true if two results contain the same rows in the same order. A model and its row's key count as equal.
  func isSame(as other: FetchedRows<T>) -> Bool {
    switch (self, other) {
    case (.keys(let own, _), .keys(let keys, _)): own == keys
    case (.models(let own), .models(let models)):
      own.count == models.count && zip(own, models).allSatisfy { $0 === $1 || Self.haveOneRow($0, $1) }
    case (.models(let models), .keys(let keys, _)), (.keys(let keys, _), .models(let models)):
      keys.count == models.count
        && zip(keys, models).allSatisfy { $0 == $1._$rowKey && !$1.isDeleted }
    }
  }

  private static func haveOneRow(_ model: T, _ other: T) -> Bool {
    let key = model._$rowKey
    return key != 0 && key == other._$rowKey && model.isDeleted == other.isDeleted
  }
}

extension ModelContext {
  /// Runs a fetch like ``fetch(_:)``, but creates no models if the store can filter and sort the rows itself.
  func rows<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws -> FetchedRows<T> {
    beginReading()
    let map = try requireIdentityMap(for: T.self)
    try requireExecution(for: map.entity)
    let (plan, mergesPending) = try preparedPlan(descriptor, in: map)
    defer { noticeForeignChanges(in: map.store) }
    guard !plan.filtersInMemory, !plan.sortsInMemory, !mergesPending else {
      return .models(try models(descriptor, in: map))
    }
    return .keys(try storedKeys(plan.request, in: map), mask: plan.request.mask)
  }

  /// The footprint of a fetch: the entities and properties whose changes may change its results.
  ///
  /// - Throws: `SwiftDataError` for a predicate or an order that reads encrypted properties.
  package func footprint<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws -> Footprint {
    let map = try requireIdentityMap(for: T.self)
    // A plan with pending changes may evaluate the predicate in memory. Then the footprint would be everything.
    var stored = descriptor
    stored.includePendingChanges = false
    let plan = try FetchPlan(stored, in: map)
    guard !plan.filtersInMemory, !plan.sortsInMemory else { return .everything }
    var footprint = Footprint()
    footprint.addRows(of: map.entity)
    if case .matching(let tree) = plan.request.selection {
      footprint.add(tree, of: map.entity, map.store.layout(named:))
    }
    footprint.add(plan.request.sort, of: map.entity, map.store.layout(named:))
    return footprint
  }
}

/// A workload that the benchmark measures for every contender. A round runs the workloads in the order of the cases.
public enum Workload: String, CaseIterable, Codable, Sendable {
  case insert
  case open
  case fetchAll = "fetch-all"
  case fetchAndFree = "fetch-and-free"
  case fetchValues = "fetch-values"
  case readThreeFields = "read-3-fields"
  case rangeInIndexOrder = "range-in-index-order"
  case rangeSortedByName = "range-sorted-by-name"
  case lookUpCold = "look-up-cold"
  case lookUpInGroups = "look-up-in-groups"
  case lookUpRegistered = "look-up-registered"
  case lookUpInOrder = "look-up-registered-in-order"
  case identifiersInSet = "identifiers-in-set"
  case countRange = "count-range"
  case countAll = "count-all"
  case findNone = "find-none"
  case findNoneByPredicate = "find-none-by-predicate"
  case update
  case saveAlone = "save-one"
  case saveAfterOther = "save-one-after-other"
  case saveByClients = "save-by-clients"
  case saveWithRecord = "save-one-with-record"
  case delete
  case insertGraph = "insert-related"
  case toManyOneByOne = "to-many-one-by-one"
  case toManyForAll = "to-many-for-all"
  case toManyTraversal = "to-many-traversal"
  case deleteGraph = "delete-cascading"

  /// True for the workloads of parents and children, which use a database of their own.
  public var isOfGraph: Bool {
    switch self {
    case .insertGraph, .toManyOneByOne, .toManyForAll, .toManyTraversal, .deleteGraph: true
    default: false
    }
  }

  /// True for workloads that run only on databases on a server.
  public var isOfServer: Bool { self == .lookUpInGroups || self == .saveByClients }

  /// The workloads for databases in files.
  public static let ofFiles = allCases.filter { !$0.isOfServer }

  /// The title in tables.
  public func title(for plan: WorkPlan) -> String {
    switch self {
    case .insert: "insert and save"
    case .open: "open + first query ×\(plan.openings)"
    case .fetchAll: "fetch all"
    case .fetchAndFree: "fetch all and free"
    case .fetchValues: "fetch all as values"
    case .readThreeFields: "read 3 fields of each"
    case .rangeInIndexOrder: "range, limit 20, by index ×\(plan.wideRanges.count)"
    case .rangeSortedByName: "range, sorted by name ×\(plan.narrowRanges.count)"
    case .lookUpCold: "look-up by id, cold"
    case .lookUpInGroups: "look-up by id, cold, \(plan.groupSize) at a time"
    case .lookUpRegistered: "look-up by id, registered, shuffled"
    case .lookUpInOrder: "look-up by id, registered, in order"
    case .identifiersInSet: "identifiers in a set"
    case .countRange: "count of a range ×\(plan.wideRanges.count)"
    case .countAll: "count of all ×\(plan.counts)"
    case .findNone: "find nothing ×\(plan.searches)"
    case .findNoneByPredicate: "find nothing, by a predicate ×\(plan.searches)"
    case .update: "load, change 1 field, save ½"
    case .saveAlone: "save 1 row ×\(plan.saves)"
    case .saveAfterOther: "save 1 row, after another's commit ×\(plan.saves)"
    case .saveWithRecord: "save 1 row and a record of it ×\(plan.saves)"
    case .saveByClients: "save 1 row each, \(plan.clients) clients ×\(plan.savesOfEachClient)"
    case .delete: "delete ½ and save"
    case .insertGraph: "relate \(plan.graph.parents) × \(plan.graph.childrenOfEach), insert, save"
    case .toManyOneByOne: "to-many, one by one ×\(plan.graph.parents)"
    case .toManyForAll: "to-many, for all at once"
    case .toManyTraversal: "to-many, traversed in plain code"
    case .deleteGraph: "delete ½ the parents, cascading"
    }
  }

  /// The number of operations in one sample.
  public func operations(in plan: WorkPlan) -> Int {
    switch self {
    case .insert, .fetchAll, .fetchAndFree, .fetchValues, .readThreeFields, .lookUpCold, .lookUpInGroups,
      .lookUpRegistered, .lookUpInOrder, .identifiersInSet:
      plan.rows
    case .open: plan.openings
    case .rangeInIndexOrder, .countRange: plan.wideRanges.count
    case .rangeSortedByName: plan.narrowRanges.count
    case .countAll: plan.counts
    case .findNone, .findNoneByPredicate: plan.searches
    case .update, .delete: plan.half
    case .saveAlone, .saveAfterOther, .saveWithRecord: plan.saves
    case .saveByClients: plan.clients * plan.savesOfEachClient
    case .insertGraph, .toManyOneByOne, .toManyForAll, .toManyTraversal: plan.graph.children
    case .deleteGraph: plan.graph.children / 2
    }
  }

  /// The number of samples in one round. Short workloads have several samples; a workload that changes the table has
  /// one.
  public var repetitions: Int {
    switch self {
    case .fetchAll, .fetchAndFree, .fetchValues, .readThreeFields, .rangeInIndexOrder, .countRange: 3
    case .identifiersInSet, .toManyOneByOne, .toManyForAll, .toManyTraversal: 3
    case .countAll: 10
    case .findNone, .findNoneByPredicate: 10
    default: 1
    }
  }
}

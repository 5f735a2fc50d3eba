import BenchmarkCore

/// A speed budget of the design: the maximum ratio of two times, such as the ratio of the library's time to the time of
/// hand-written code.
struct Budget {
  /// The project aims at this ratio or a smaller one.
  let goal: Double

  /// A result above this ratio is a defect.
  let limit: Double

  /// The budget of a workload; nil if the design has none.
  static func of(_ workload: Workload) -> Budget? {
    switch workload {
    case .insert, .open, .fetchAll, .fetchValues, .rangeInIndexOrder, .rangeSortedByName, .countRange, .countAll,
      .toManyOneByOne:
      Budget(goal: 1.10, limit: 1.25)
    case .fetchAndFree, .update, .delete, .lookUpCold, .toManyForAll:
      Budget(goal: 1.20, limit: 1.40)
    case .lookUpRegistered, .lookUpInOrder:
      Budget(goal: 0.02, limit: 0.03)
    case .saveWithRecord:
      Budget(goal: 1.30, limit: 1.50)
    case .readThreeFields, .identifiersInSet, .findNone, .findNoneByPredicate, .saveAlone, .saveAfterOther,
      .insertGraph, .toManyTraversal, .deleteGraph, .lookUpInGroups, .saveByClients:
      nil
    }
  }

  /// The maximum ratio of the time of a loop over children without prefetching to that of a loop for which everything
  /// is prefetched.
  static let ofTraversal = Budget(goal: 1.20, limit: 1.40)

  /// The maximum ratio of the time of a save after another context has saved to that of a save of the only context.
  static let ofSavesAfterOthers = Budget(goal: 1.05, limit: 1.15)

  /// The maximum cost of a predicate for each fetch, in microseconds.
  static let ofPredicate = Budget(goal: 0.5, limit: 1)

  /// The maximum ratio of the time of a migration to that of hand-written SQL for the same steps.
  static let ofMigration = Budget(goal: 1.25, limit: 1.5)

  /// The maximum ratio of the time of a workload on a server to that of hand-written libpq code.
  static func onServer(_ workload: Workload) -> Budget {
    // For several clients, the limit of 1.25 means at least 80 % of the throughput of hand-written code.
    workload == .saveByClients ? Budget(goal: 1.15, limit: 1.25) : Budget(goal: 1.15, limit: 1.3)
  }

  /// Compares a ratio with the budget.
  func verdict(on ratio: Double) -> Verdict {
    ratio <= goal ? .withinGoal : ratio <= limit ? .withinLimit : .aboveLimit
  }
}

/// The result of comparing a ratio with its budget.
enum Verdict {
  case withinGoal
  case withinLimit
  case aboveLimit
}

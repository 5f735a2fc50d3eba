import BenchmarkCore

/// How much slower than hand-written code the library may be: the speed budget of the design, as ratios.
struct Budget {
  /// The ratio that the project aims at.
  let goal: Double

  /// The ratio above which a row is a defect.
  let limit: Double

  /// The budget of a workload; nil where the design sets none.
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

  /// How much slower than with everything declared beforehand a loop may be that declares nothing.
  static let ofTraversal = Budget(goal: 1.20, limit: 1.40)

  /// How much slower saves may be once another context has saved something.
  static let ofSavesAfterOthers = Budget(goal: 1.05, limit: 1.15)

  /// How many microseconds a predicate may take for each fetch.
  static let ofPredicate = Budget(goal: 0.5, limit: 1)

  /// How much slower than hand-written SQL for the same steps a migration may be.
  static let ofMigration = Budget(goal: 1.25, limit: 1.5)

  /// How much slower than hand-written libpq code a workload may be on a server.
  static func onServer(_ workload: Workload) -> Budget {
    // Several clients reach at least 80 % of what hand-written code does.
    workload == .saveByClients ? Budget(goal: 1.15, limit: 1.25) : Budget(goal: 1.15, limit: 1.3)
  }

  /// Where a ratio lies.
  func verdict(on ratio: Double) -> Verdict {
    ratio <= goal ? .withinGoal : ratio <= limit ? .withinLimit : .aboveLimit
  }
}

/// How a ratio compares with its budget.
enum Verdict {
  case withinGoal
  case withinLimit
  case aboveLimit
}

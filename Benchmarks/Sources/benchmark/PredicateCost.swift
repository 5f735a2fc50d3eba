import BenchmarkCore

/// The time that a contender needs for each fetch to create a predicate, translate it and bind its values. The time
/// that hand-written code needs to bind the values and search is subtracted.
struct PredicateCost {
  private let contender: any Participant
  /// The overhead in microseconds.
  private let cost: Double

  /// Returns nil if one of the workloads was not measured.
  init?(of contender: any Participant, in result: ContestResult, clock: Clock) {
    func extra(_ workload: Workload) -> Double? {
      let times = result.statistics(of: workload, clock: clock)
      guard let own = times[contender.name], let base = times[Contenders.base.name] else { return nil }
      return own.median - base.median
    }
    guard contender.name != Contenders.base.name, let with = extra(.findNoneByPredicate), let without = extra(.findNone)
    else { return nil }
    self.contender = contender
    // The statistics are in milliseconds, and the overhead is in microseconds.
    cost = (with - without) * 1000 / Double(WorkPlan(rows: result.contest.rows).searches)
  }

  /// The description of the overhead, with the budget.
  var text: String {
    "\(contender.title): a predicate costs \(cost.fixed(2)) µs for each fetch (at most "
      + "\(Budget.ofPredicate.limit.fixed(2)) µs)"
  }

  /// The emphasis of the text.
  var tone: TableCell.Tone { .verdict(Budget.ofPredicate.verdict(on: cost)) }
}

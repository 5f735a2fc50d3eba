import BenchmarkCore

/// What a predicate costs a contender for each fetch, beyond what it costs hand-written code to bind and to search: to
/// make it, to translate it and to bind its values.
struct PredicateCost {
  private let contender: any Participant
  /// In microseconds.
  private let cost: Double

  /// Nil when something of it was not measured.
  init?(of contender: any Participant, in result: ContestResult, clock: Clock) {
    func extra(_ workload: Workload) -> Double? {
      let times = result.statistics(of: workload, clock: clock)
      guard let own = times[contender.name], let base = times[Contenders.base.name] else { return nil }
      return own.median - base.median
    }
    guard contender.name != Contenders.base.name, let with = extra(.findNoneByPredicate), let without = extra(.findNone)
    else { return nil }
    self.contender = contender
    // Statistics are in milliseconds.
    cost = (with - without) * 1000 / Double(WorkPlan(rows: result.contest.rows).searches)
  }

  /// The cost in words, with the budget.
  var text: String {
    "\(contender.title): a predicate costs \(cost.fixed(2)) µs for each fetch (at most "
      + "\(Budget.ofPredicate.limit.fixed(2)) µs)"
  }

  /// How loudly the words are said.
  var tone: TableCell.Tone { .verdict(Budget.ofPredicate.verdict(on: cost)) }
}

import BenchmarkCore

/// A comparison of the times of two workloads of the same contender.
struct Comparison {
  /// The description of the comparison, with the budget.
  let text: String

  /// The emphasis of the text.
  let tone: TableCell.Tone

  /// Compares a loop over parents and children without prefetching with loading all of them at once.
  static func ofTraversal(_ contender: any Participant, in result: ContestResult, clock: Clock) -> Comparison? {
    Comparison(
      of: .toManyTraversal, with: .toManyForAll, contender, in: result, clock: clock, within: .ofTraversal,
      ["traversed in plain code takes", "of what it takes for all at once"]
    )
  }

  /// Compares saves after another context's commit with saves of the only context.
  static func ofSavesAfterOthers(_ contender: any Participant, in result: ContestResult, clock: Clock) -> Comparison? {
    Comparison(
      of: .saveAfterOther, with: .saveAlone, contender, in: result, clock: clock, within: .ofSavesAfterOthers,
      ["saving a row after another's commit takes", "of what it takes alone"]
    )
  }

  /// Returns nil if one of the two workloads was not measured.
  private init?(
    of workload: Workload, with other: Workload, _ contender: any Participant, in result: ContestResult, clock: Clock,
    within budget: Budget, _ words: [String]
  ) {
    let one = result.statistics(of: workload, clock: clock)[contender.name]
    let base = result.statistics(of: other, clock: clock)[contender.name]
    guard let one, let base, contender.name != Contenders.base.name else { return nil }
    let ratio = one.median / base.median
    text = "\(contender.title): \(words.joined(separator: " \(ratio.asRatio) ")) (at most \(budget.limit.fixed(2))×)"
    tone = .verdict(budget.verdict(on: ratio))
  }
}

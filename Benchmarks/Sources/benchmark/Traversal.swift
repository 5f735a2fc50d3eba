import BenchmarkCore

/// How a contender's loop over parents and children that declares nothing compares with its loading all at once.
struct Traversal {
  private let contender: any Contender
  private let ratio: Double

  /// Nil when either was not measured.
  init?(of contender: any Contender, in result: ContestResult, clock: Clock) {
    let loop = result.statistics(of: .toManyTraversal, clock: clock)[contender.name]
    let best = result.statistics(of: .toManyForAll, clock: clock)[contender.name]
    guard let loop, let best, contender.name != Contenders.base.name else { return nil }
    self.contender = contender
    ratio = loop.median / best.median
  }

  /// The comparison in words, with the budget.
  var text: String {
    "\(contender.title): traversed in plain code takes \(ratio.asRatio) of what it takes for all at once "
      + "(at most \(Budget.ofTraversal.limit.fixed(2))×)"
  }

  /// How loudly the words are said.
  var tone: TableCell.Tone { .verdict(Budget.ofTraversal.verdict(on: ratio)) }
}

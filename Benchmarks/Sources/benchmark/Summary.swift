import BenchmarkCore

/// The results of a contest, as the tables and the picture show them.
struct Summary {
  /// All participants except the base, to whose times the ratios refer.
  let rivals: [any Participant]

  /// A row for each workload.
  let rows: [SummaryRow]

  /// The peak memory of each contender, in bytes, by name.
  let peakMemory: [String: Double]

  /// Comparisons of workloads with other workloads of the same contender.
  let comparisons: [Comparison]

  /// The overhead of a predicate for each contender.
  let predicateCosts: [PredicateCost]

  /// Descriptions of checksums that differ between contenders or rounds.
  let disagreements: [String]

  /// A description of the measurement, in one line.
  let caption: String

  init(of result: ContestResult, clock: Clock) {
    let contest = result.contest
    let plan = WorkPlan(rows: contest.rows)
    rivals = contest.contenders.filter { $0.name != Contenders.base.name }
    rows = contest.workloads.map { workload in
      SummaryRow(workload: workload, plan: plan, times: result.statistics(of: workload, clock: clock))
    }
    comparisons = [Comparison.ofTraversal, Comparison.ofSavesAfterOthers].flatMap { compare in
      contest.contenders.compactMap { compare($0, result, clock) }
    }
    predicateCosts = contest.contenders.compactMap { PredicateCost(of: $0, in: result, clock: clock) }
    peakMemory = result.reports.compactMapValues { Statistic($0.map { Double($0.peakMemory) })?.median }
    disagreements = contest.workloads.flatMap(result.disagreements)
    let rounds = contest.rounds == 1 ? "1 round" : "\(contest.rounds) rounds"
    caption = "\(plan.rows.grouped) rows of 8 columns · \(rounds) · medians of \(clock.title)"
  }
}

/// The times of all contenders for one workload.
struct SummaryRow {
  let workload: Workload
  let title: String
  let operations: Int
  let budget: Budget?

  /// The times of each contender, by name.
  let times: [String: Statistic]

  init(workload: Workload, plan: WorkPlan, times: [String: Statistic]) {
    self.workload = workload
    self.times = times
    title = workload.title(for: plan)
    operations = workload.operations(in: plan)
    budget = Budget.of(workload)
  }

  /// The base's times.
  var base: Statistic? { times[Contenders.base.name] }

  /// The ratio of the contender's median time to that of the base.
  func ratio(of contender: any Participant) -> Double? {
    guard let base, let time = times[contender.name] else { return nil }
    return time.median / base.median
  }
}

extension ContestResult {
  /// The times of each contender for a workload, over all rounds.
  func statistics(of workload: Workload, clock: Clock) -> [String: Statistic] {
    statistics(of: workload, time: clock.time)
  }

  /// The statistic of one time of all samples of a workload, for each contender.
  func statistics(of workload: Workload, time: (Sample) -> Double) -> [String: Statistic] {
    reports.compactMapValues { reports in
      Statistic(reports.flatMap(\.results).filter { $0.workload == workload }.flatMap(\.samples).map(time))
    }
  }

  /// The contenders whose checksum differs from that of the base or from that of another round.
  func disagreements(on workload: Workload) -> [String] {
    let checksums = reports.mapValues { reports in
      reports.flatMap(\.results).filter { $0.workload == workload }.map(\.checksum)
    }
    guard let expected = checksums[contest.base.name]?.first else { return [] }
    return contest.contenders.compactMap { contender in
      guard let wrong = checksums[contender.name]?.first(where: { $0 != expected }) else { return nil }
      return "\(contender.title) came to \(wrong) in \(workload.rawValue), \(contest.base.title) to \(expected)"
    }
  }
}

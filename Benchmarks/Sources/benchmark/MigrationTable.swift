#if MEASURES_LIBRARY
  import BenchmarkCore

  /// The table of migrations, with the times, their ratio and the peak memory of each contender.
  struct MigrationTable {
    let layout: TableLayout
    /// A description of the measurement, in one line.
    let caption: String

    init(_ results: [MigrationContest.Result], rows: Int, rounds: Int, clock: Clock) {
      let base = Contenders.base.title
      layout = TableLayout(
        headings: [
          "", "\(base), ms", "min–max", "each", "OpenSwiftData", "ms", "peak, \(base)", "ours", "goal", "at most",
        ], rows: results.map { Self.cells(of: $0, rows: rows, clock: clock) })
      let words = rounds == 1 ? "1 round" : "\(rounds) rounds"
      caption = "migrations of \(rows.grouped) trips and as many items · \(words) · medians of \(clock.title)"
    }

    private static func cells(of result: MigrationContest.Result, rows: Int, clock: Clock) -> [TableCell] {
      let times = result.reports.compactMapValues { Statistic($0.map { clock.time(of: $0.sample) }) }
      let memory = result.reports.compactMapValues { Statistic($0.map { Double($0.peakMemory) })?.median }
      guard let raw = times["raw"], let ours = times["ours"] else { return [TableCell(result.step.title)] }
      let (ratio, budget) = (ours.median / raw.median, Budget.ofMigration)
      return [
        TableCell(result.step.title), TableCell(raw.median.asMilliseconds),
        TableCell("\(raw.minimum.asMilliseconds)–\(raw.maximum.asMilliseconds)", tone: .quiet),
        TableCell(raw.median.perOperation(rows), tone: .quiet),
        TableCell(ratio.asRatio, tone: .verdict(budget.verdict(on: ratio))),
        TableCell(ours.median.asMilliseconds, tone: .quiet), TableCell(memory["raw"]?.asMebibytes ?? "–"),
        TableCell(memory["ours"]?.asMebibytes ?? "–"), TableCell(budget.goal.fixed(2), tone: .quiet),
        TableCell(budget.limit.fixed(2), tone: .quiet),
      ]
    }
  }
#endif

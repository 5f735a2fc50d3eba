#if PostgreSQL
  import BenchmarkCore

  /// The table of contenders on a server, with the elapsed time, and the CPU times of the client and of the server.
  struct PostgresTable {
    let disagreements: [String]
    private let layout: TableLayout
    private let caption: String
    private let base: String

    private typealias Times = [String: Statistic]

    init(_ result: ContestResult, version: String, flushes: Bool, isApart: Bool) {
      let contest = result.contest
      let rivals = Array(contest.contenders.dropFirst())
      base = contest.base.title
      disagreements = contest.workloads.flatMap(result.disagreements)
      layout = TableLayout(
        headings: ["", "\(base), ms", "client CPU", "server CPU"]
          + rivals.flatMap { [$0.title, "ms", "client", "server"] } + ["goal", "at most"],
        rows: contest.workloads.map { Self.cells(of: $0, result, rivals) },
        footer: Self.footer(result, rivals))
      let rounds = contest.rounds == 1 ? "1 round" : "\(contest.rounds) rounds"
      let place = "on a socket" + (isApart ? ", with processors of its own" : "")
      caption =
        "PostgreSQL \(version), \(flushes ? "commits flushed" : "fsync off"), \(place) · "
        + "\(contest.rows.grouped) rows of 8 columns · \(rounds) · medians of wall-clock time, then ratios of CPU time"
    }

    func text(in style: TerminalStyle) -> String {
      let notes = disagreements.map { style.apply(.verdict(.aboveLimit), to: "mismatch: \($0)") }
      return TerminalTable(layout, caption: caption, notes: notes, base: base, style: style).text
    }

    var markdown: String {
      MarkdownTable(layout, caption: caption, notes: disagreements.map { "\n**mismatch:** \($0)" }, base: base).text
    }

    private static func cells(
      of workload: Workload, _ result: ContestResult, _ rivals: [any Participant]
    ) -> [TableCell] {
      let base = result.contest.base.name
      let wall = result.statistics(of: workload) { $0.wall }
      let cpus = [result.statistics(of: workload) { $0.cpu }, result.statistics(of: workload) { $0.server ?? 0 }]
      let budget = Budget.onServer(workload)
      let own =
        [TableCell(wall[base]?.median.asMilliseconds ?? "–")]
        + cpus.map { TableCell($0[base]?.median.asMilliseconds ?? "–", tone: .quiet) }
      let others = rivals.flatMap { rival in
        let ratio = ratio(wall, rival.name, base)
        let tone = ratio.map { TableCell.Tone.verdict(budget.verdict(on: $0)) } ?? .plain
        return [
          TableCell(ratio?.asRatio ?? "–", tone: rival.name == "ours" ? tone : .plain),
          TableCell(wall[rival.name]?.median.asMilliseconds ?? "", tone: .quiet),
        ] + cpus.map { TableCell(Self.ratio($0, rival.name, base)?.asRatio ?? "–", tone: .quiet) }
      }
      let limits = [budget.goal, budget.limit].map { TableCell($0.fixed(2), tone: .quiet) }
      return [TableCell(workload.title(for: WorkPlan(rows: result.contest.rows)))] + own + others + limits
    }

    /// The ratio of the median times, or nil if one was not measured or the base took less than 0.01 ms.
    private static func ratio(_ times: Times, _ name: String, _ base: String) -> Double? {
      guard let own = times[name], let base = times[base], base.median >= 0.01 else { return nil }
      return own.median / base.median
    }

    private static func footer(_ result: ContestResult, _ rivals: [any Participant]) -> [TableCell] {
      let memory = result.reports.compactMapValues { Statistic($0.map { Double($0.peakMemory) })?.median.asMebibytes }
      let base = [memory[result.contest.base.name] ?? "", "", ""]
      let others = rivals.flatMap { ["", memory[$0.name] ?? "", "", ""] }
      return (["peak memory"] + base + others + ["", ""]).map { TableCell($0) }
    }
  }
#endif

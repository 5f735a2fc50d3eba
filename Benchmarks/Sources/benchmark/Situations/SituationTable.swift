#if MEASURES_LIBRARY
  import BenchmarkCore

  /// The table of situations, with the times of hand-written code and of the library, their ratio and its limit.
  struct SituationTable {
    private let layout: TableLayout
    /// A description of the measurement, in one line.
    private let caption: String
    private let disagreements: [String]

    init(_ results: [SituationContest.Result], plan: SituationPlan, rounds: Int, clock: Clock) {
      let (base, library) = (SituationContest.base, SituationContest.library)
      layout = TableLayout(
        headings: ["", "\(base.title), ms", "min–max", "each", library.title, "ms", "each", "at most"],
        rows: results.flatMap { result in
          result.situation.phases(in: plan).enumerated().map { Self.cells(of: $1, number: $0, in: result, clock) }
        })
      let words = rounds == 1 ? "1 round" : "\(rounds) rounds"
      caption = "situations with \(plan.rows.grouped) items · \(words) · medians of \(clock.title)"
      disagreements = results.flatMap(\.disagreements)
    }

    /// The table for a terminal.
    func text(_ style: TerminalStyle) -> String {
      let notes = disagreements.map { style.apply(.verdict(.aboveLimit), to: "mismatch: \($0)") }
      return TerminalTable(layout, caption: caption, notes: notes, base: SituationContest.base.title, style: style).text
    }

    /// The table in Markdown.
    var markdown: String {
      let notes = disagreements.map { "\n**mismatch:** \($0)" }
      return MarkdownTable(layout, caption: caption, notes: notes, base: SituationContest.base.title).text
    }

    private static func cells(
      of phase: SituationPhase, number: Int, in result: SituationContest.Result, _ clock: Clock
    ) -> [TableCell] {
      guard let base = result.statistic(of: SituationContest.base, phase: number, clock),
        let library = result.statistic(of: SituationContest.library, phase: number, clock)
      else { return [TableCell(phase.title)] + Array(repeating: TableCell("–"), count: 7) }
      let (ratio, budget) = (library.median / base.median, Budget.of(result.situation, phase: number))
      return [
        TableCell(phase.title), TableCell(base.median.asMilliseconds),
        TableCell("\(base.minimum.asMilliseconds)–\(base.maximum.asMilliseconds)", tone: .quiet),
        TableCell(base.median.perOperation(phase.operations), tone: .quiet),
        TableCell(ratio.asRatio, tone: .verdict(budget.verdict(on: ratio))),
        TableCell(library.median.asMilliseconds, tone: .quiet),
        TableCell(library.median.perOperation(phase.operations), tone: .quiet),
        TableCell(budget.limit.fixed(2), tone: .quiet),
      ]
    }
  }
#endif

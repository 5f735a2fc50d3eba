#if MEASURES_LIBRARY
  import BenchmarkCore

  /// The table of the command `scale`: for each size, the time of a row or an operation and its ratio to that of the
  /// next smaller size, and the growth of the peak memory.
  struct ScaleTable {
    private let results: ScaleResults
    private let layout: TableLayout
    private static let base = "the next smaller size"

    init(_ results: ScaleResults) {
      self.results = results
      let times = results.sizes.enumerated().flatMap { $0 == 0 ? [$1.grouped] : [$1.grouped, "×"] }
      layout = TableLayout(
        headings: ["", "time of"] + times + ["peak memory"], rows: results.rows.map { Self.cells(of: $0) })
    }

    private var caption: String {
      "stores of \(results.sizes.map(\.grouped).joined(separator: ", ")) rows · 1 round · \(results.clock.title) of a "
        + "row or an operation"
    }

    /// The table for a terminal.
    func text(_ style: TerminalStyle) -> String {
      let notes = results.faults.map { style.apply(.verdict(.aboveLimit), to: $0) }
      return TerminalTable(layout, caption: caption, notes: notes, base: Self.base, style: style).text
    }

    /// The table in Markdown.
    var markdown: String {
      MarkdownTable(layout, caption: caption, notes: results.faults.map { "\n\($0)" }, base: Self.base).text
    }

    private static func cells(of row: ScaleResults.Row) -> [TableCell] {
      let times = row.points.enumerated().flatMap { index, point in
        let time = TableCell(point?.each.asDuration ?? "–", tone: .quiet)
        guard index > 0 else { return [time] }
        let tone = point?.ratio.map { TableCell.Tone.verdict(Budget.ofScale.verdict(on: $0)) }
        return [time, TableCell(point?.ratio?.asRatio ?? "–", tone: tone ?? .quiet)]
      }
      let memory = row.points.map { $0.map { (Double($0.memory) / 1_048_576).fixed(0) } ?? "–" }
      let grows = row.points.contains { $0?.memoryGrows ?? false }
      let unit = row.operation.growth == .constant ? "operation" : "row"
      return [TableCell(row.operation.title), TableCell(unit, tone: .quiet)] + times
        + [TableCell(memory.joined(separator: " / ") + " MiB", tone: grows ? .verdict(.aboveLimit) : .quiet)]
    }
  }
#endif

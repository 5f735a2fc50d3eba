import BenchmarkCore

/// The texts of a table's cells, before a terminal or Markdown renders them.
struct TableLayout {
  /// The headings of the columns. The first column is aligned left, and all others are aligned right.
  let headings: [String]

  /// A row for each workload.
  let rows: [[TableCell]]

  /// The last row, which is separated from the others, or empty if there is none.
  let footer: [TableCell]

  init(headings: [String], rows: [[TableCell]], footer: [TableCell] = []) {
    (self.headings, self.rows, self.footer) = (headings, rows, footer)
  }

  /// All rows, with the footer as the last one.
  var allRows: [[TableCell]] { footer.isEmpty ? rows : rows + [footer] }

  init(_ summary: Summary) {
    let base = Contenders.base
    headings =
      ["", "\(base.title), ms", "min–max", "each"]
      + summary.rivals.flatMap { [$0.title, "ms"] } + ["goal", "at most"]
    rows = summary.rows.map { Self.cells(of: $0, rivals: summary.rivals) }
    footer = Self.footer(summary)
  }

  private static func footer(_ summary: Summary) -> [TableCell] {
    func memory(of contender: any Participant) -> Double? { summary.peakMemory[contender.name] }
    let base = memory(of: Contenders.base)
    let rivals = summary.rivals.flatMap { rival in
      [ratio(memory(of: rival), base), memory(of: rival)?.asMebibytes ?? ""]
    }
    return (["peak memory", base?.asMebibytes ?? "", "", ""] + rivals + ["", ""]).map { TableCell($0) }
  }

  private static func cells(of row: SummaryRow, rivals: [any Participant]) -> [TableCell] {
    let base = row.base.map { base in
      [
        TableCell(base.median.asMilliseconds),
        TableCell("\(base.minimum.asMilliseconds)–\(base.maximum.asMilliseconds)", tone: .quiet),
        TableCell(base.median.perOperation(row.operations), tone: .quiet),
      ]
    }
    let ratios = rivals.flatMap { rival in
      let ratio = row.ratio(of: rival)
      let tone = ratio.flatMap { row.budget?.verdict(on: $0) }.map(TableCell.Tone.verdict) ?? .plain
      let time = row.times[rival.name]?.median.asMilliseconds
      return [TableCell(ratio?.asRatio ?? "–", tone: tone), TableCell(time ?? "", tone: .quiet)]
    }
    let budget = [row.budget?.goal, row.budget?.limit].map { TableCell($0?.fixed(2) ?? "–", tone: .quiet) }
    return [TableCell(row.title)] + (base ?? Array(repeating: TableCell("–"), count: 3)) + ratios + budget
  }

  private static func ratio(_ value: Double?, _ base: Double?) -> String {
    guard let value, let base else { return "–" }
    return (value / base).asRatio
  }
}

/// The text and the emphasis of one cell.
struct TableCell {
  /// The emphasis of a cell, which a terminal shows by colours.
  enum Tone {
    case plain
    case quiet
    case verdict(Verdict)
  }

  let text: String
  let tone: Tone

  init(_ text: String, tone: Tone = .plain) {
    self.text = text
    self.tone = tone
  }
}

/// The table as Markdown shows it.
struct MarkdownTable {
  private let summary: Summary

  init(_ summary: Summary) {
    self.summary = summary
  }

  /// The caption and the table, whose ratios stand out where they miss the budget.
  var text: String {
    let layout = TableLayout(summary)
    let alignment = layout.headings.indices.map { $0 == 0 ? ":--" : "--:" }
    let rows = (layout.rows + [layout.footer]).map { $0.map(mark) }
    let table = ([layout.headings, alignment] + rows).map { "| \($0.joined(separator: " | ")) |" }
    let traversals = summary.traversals.map { "\n\($0.text)" }
    let notes = traversals + summary.disagreements.map { "\n**mismatch:** \($0)" }
    return ([summary.caption + "; × is the ratio to \(Contenders.base.title).", ""] + table + notes)
      .joined(separator: "\n") + "\n"
  }

  private func mark(_ cell: TableCell) -> String {
    if case .verdict(.aboveLimit) = cell.tone { "**\(cell.text)**" } else { cell.text }
  }
}

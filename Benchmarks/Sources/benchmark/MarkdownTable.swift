/// Renders a table in Markdown.
struct MarkdownTable {
  private let layout: TableLayout
  private let caption: String
  private let notes: [String]
  private let base: String

  init(_ summary: Summary) {
    let comparisons = summary.comparisons.map(\.text) + summary.predicateCosts.map(\.text)
    self.init(
      TableLayout(summary), caption: summary.caption,
      notes: comparisons.map { "\n\($0)" } + summary.disagreements.map { "\n**mismatch:** \($0)" })
  }

  /// - Parameter base: The title of the contender to whose times the ratios refer.
  init(_ layout: TableLayout, caption: String, notes: [String] = [], base: String = Contenders.base.title) {
    (self.layout, self.caption, self.notes, self.base) = (layout, caption, notes, base)
  }

  /// The caption and the table. Ratios that miss the budget are emphasised.
  var text: String {
    let alignment = layout.headings.indices.map { $0 == 0 ? ":--" : "--:" }
    let rows = layout.allRows.map { $0.map(mark) }
    let table = ([layout.headings, alignment] + rows).map { "| \($0.joined(separator: " | ")) |" }
    return ([caption + "; × is the ratio to \(base).", ""] + table + notes)
      .joined(separator: "\n") + "\n"
  }

  private func mark(_ cell: TableCell) -> String {
    if case .verdict(.aboveLimit) = cell.tone { "**\(cell.text)**" } else { cell.text }
  }
}

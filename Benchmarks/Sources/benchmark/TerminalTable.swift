/// Renders a table for a terminal.
struct TerminalTable {
  private let caption: String
  private let notes: [String]
  private let style: TerminalStyle
  private let layout: TableLayout
  private let widths: [Int]
  private let base: String

  init(_ summary: Summary, style: TerminalStyle) {
    let mismatches = summary.disagreements.map { style.apply(.verdict(.aboveLimit), to: "mismatch: \($0)") }
    let comparisons = summary.comparisons.map { style.apply($0.tone, to: $0.text) }
    let costs = summary.predicateCosts.map { style.apply($0.tone, to: $0.text) }
    self.init(
      TableLayout(summary), caption: summary.caption, notes: comparisons + costs + mismatches, style: style)
  }

  /// - Parameter base: The title of the contender to whose times the ratios refer.
  init(
    _ layout: TableLayout, caption: String, notes: [String] = [], base: String = Contenders.base.title,
    style: TerminalStyle
  ) {
    self.base = base
    self.caption = caption
    self.notes = notes
    self.style = style
    self.layout = layout
    widths = layout.headings.indices.map { column in
      let cells = layout.allRows.map { $0[column].text.count }
      return max(layout.headings[column].count, cells.max() ?? 0)
    }
  }

  /// The caption, the table, the legend of the colours, and any problems.
  var text: String {
    let headings = layout.headings.enumerated().map { style.heading(pad($1, column: $0)) }
    let footer = layout.footer.isEmpty ? [] : [rule("├", "┼", "┤"), line(layout.footer)]
    let table =
      [rule("╭", "┬", "╮"), join(headings), rule("├", "┼", "┤")]
      + layout.rows.map(line) + footer + [rule("╰", "┴", "╯")]
    return ([caption] + table + [legend] + notes).joined(separator: "\n")
  }

  private func line(_ cells: [TableCell]) -> String {
    join(cells.enumerated().map { style.apply($1.tone, to: pad($1.text, column: $0)) })
  }

  /// Joins the cells of a row. No bar separates the two columns of one contender, nor those of the base and the budget,
  /// because they belong together.
  private func join(_ cells: [String]) -> String {
    var line = "│ "
    for (column, cell) in cells.enumerated() {
      line += cell + (column == cells.count - 1 ? " │" : startsGroup(column + 1) ? " │ " : "  ")
    }
    return line
  }

  private func rule(_ left: String, _ middle: String, _ right: String) -> String {
    var line = left
    for (column, width) in widths.enumerated() {
      line += startsGroup(column) && column > 0 ? middle : ""
      line += String(repeating: "─", count: width + 2)
    }
    return line + right
  }

  private func startsGroup(_ column: Int) -> Bool {
    column < 2 || column > 3 && column.isMultiple(of: 2)
  }

  private func pad(_ text: String, column: Int) -> String {
    let blanks = String(repeating: " ", count: widths[column] - text.count)
    return column == 0 ? text + blanks : blanks + text
  }

  private var legend: String {
    let parts: [(Verdict, String)] = [
      (.withinGoal, "within the goal"), (.withinLimit, "within the budget"), (.aboveLimit, "above it"),
    ]
    let colours = parts.map { style.apply(.verdict($0), to: $1) }.joined(separator: ", ")
    let meaning = "× is the ratio to \(base), less is faster"
    return style == .plain ? meaning : "\(meaning): \(colours)"
  }
}

/// A table of aligned columns under a title.
struct TextTable {
  enum Alignment {
    case left
    case right
  }

  struct Column {
    let title: String
    var alignment = Alignment.left
    var style: TerminalStyle?
  }

  let title: String
  let columns: [Column]
  var rows: [[String]] = []

  func print() {
    Swift.print("\n" + TerminalStyle.heading(title))
    guard !rows.isEmpty else { return Swift.print("  (nothing)") }
    Swift.print(rule("┌", "┬", "┐"))
    Swift.print(line(columns.map(\.title)) { TerminalStyle.heading($1) })
    Swift.print(rule("├", "┼", "┤"))
    for row in rows {
      Swift.print(line(row) { index, text in columns[index].style.map { $0(text) } ?? text })
    }
    Swift.print(rule("└", "┴", "┘"))
  }

  private var widths: [Int] {
    columns.indices.map { index in
      ([columns[index].title] + rows.map { $0[index] }).map(\.count).max() ?? 0
    }
  }

  private func rule(_ left: String, _ middle: String, _ right: String) -> String {
    let parts = widths.map { String(repeating: "─", count: $0 + 2) }
    return TerminalStyle.faint(left + parts.joined(separator: middle) + right)
  }

  /// Joins cells. They are padded before they are styled, because styles add characters without a width.
  private func line(_ cells: [String], style: (Int, String) -> String) -> String {
    let bar = TerminalStyle.faint("│")
    let widths = widths
    let padded = cells.enumerated().map { index, text in " \(style(index, pad(text, to: widths[index], index))) " }
    return bar + padded.joined(separator: bar) + bar
  }

  private func pad(_ text: String, to width: Int, _ index: Int) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return columns[index].alignment == .left ? text + space : space + text
  }
}

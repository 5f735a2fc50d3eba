import BenchmarkCore

/// A diagram of the ratios to hand-written code. Each bar starts at the ratio 1: a bar to the right means slower, a bar
/// to the left faster.
struct Picture {
  private let summary: Summary
  private let scale: PictureScale

  private static let width = 920.0
  private static let top = 96.0
  private static let bar = 12.0
  private static let gap = 14.0

  init(_ summary: Summary) {
    self.summary = summary
    let ratios = summary.rows.flatMap { row in summary.rivals.compactMap { row.ratio(of: $0) } }
    scale = PictureScale(for: ratios, left: 290, right: Self.width - 70)
  }

  /// The picture as SVG.
  var svg: String {
    let height = bottom + 34
    let opening = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width.fixed(0)) \(height.fixed(0))" role="img">
      <title>Ratios to hand-written code: \(summary.caption)</title>
      \(PictureElements.styleSheet)
      <rect class="paper" width="100%" height="100%" rx="8"/>
      """
    let groups = summary.rows.indices.flatMap(group)
    return ([opening] + heading + grid + groups + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private var groupHeight: Double { Double(summary.rivals.count) * Self.bar + Self.gap }

  private var bottom: Double { Self.top + Double(summary.rows.count) * groupHeight }

  /// The description of the measurement, and the colour of each contender.
  private var heading: [String] {
    var x = 24.0
    let legend = summary.rivals.flatMap { rival in
      defer { x += Double(rival.title.count) * 7.5 + 40 }
      return [
        #"<rect class="\#(rival.name)" x="\#(x.fixed(1))" y="56" width="12" height="12" rx="2"/>"#,
        PictureElements.text(rival.title, "label", x: x + 18, y: 66, anchor: "start"),
      ]
    }
    return [
      PictureElements.text("Time relative to hand-written C-API code", "title", x: 24, y: 28, anchor: "start"),
      PictureElements.text("\(summary.caption) · a dashed line is the budget", "quiet", x: 24, y: 46, anchor: "start"),
    ] + legend
  }

  /// A vertical line and a label at every power of two.
  private var grid: [String] {
    scale.marks.flatMap { mark in
      let x = scale.position(of: mark.ratio)
      let kind = mark.ratio == 1 ? "base" : "grid"
      return [
        PictureElements.line(kind, x: x, from: Self.top - 6, to: bottom),
        PictureElements.text(mark.label, "quiet", x: x, y: bottom + 16),
      ]
    }
  }

  /// The title and the bars of one workload.
  private func group(at index: Int) -> [String] {
    let row = summary.rows[index]
    let y = Self.top + Double(index) * groupHeight + Self.gap / 2
    let middle = y + (groupHeight - Self.gap) / 2 + 4
    let bars = summary.rivals.enumerated().flatMap { place, rival in
      row.ratio(of: rival).map { bar(of: rival, ratio: $0, y: y + Double(place) * Self.bar) } ?? []
    }
    return [PictureElements.text(row.title, "label", x: scale.left - 50, y: middle, anchor: "end")]
      + budget(of: row, y: y) + bars
  }

  /// A line at the workload's limit, if the limit is on the scale.
  private func budget(of row: SummaryRow, y: Double) -> [String] {
    guard let limit = row.budget?.limit, scale.contains(limit) else { return [] }
    return [
      PictureElements.line("budget", x: scale.position(of: limit), from: y - 3, to: y + groupHeight - Self.gap + 1)
    ]
  }

  /// A contender's bar and the text of its ratio.
  private func bar(of contender: any Participant, ratio: Double, y: Double) -> [String] {
    let (start, end) = (scale.position(of: 1), scale.position(of: ratio))
    let x = min(start, end).fixed(1)
    let width = max(abs(end - start), 1.5).fixed(1)
    let isSlower = ratio >= 1
    return [
      """
      <rect class="\(contender.name)" x="\(x)" y="\(y.fixed(1))" width="\(width)" \
      height="\((Self.bar - 2).fixed(1))" rx="1.5"/>
      """,
      PictureElements.text(
        ratio.asRatio, "value", x: end + (isSlower ? 5 : -5), y: y + Self.bar - 3, anchor: isSlower ? "start" : "end"),
    ]
  }
}

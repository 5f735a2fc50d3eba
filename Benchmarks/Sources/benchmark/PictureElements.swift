/// The elements of which pictures consist, as SVG.
enum PictureElements {
  /// Colours for light and dark backgrounds.
  static let styleSheet = """
    <style>
    text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2933 }
    .title { font-size: 16px; font-weight: 600 }
    .quiet { fill: #6b7785; font-size: 11px }
    .value { fill: #3e4c59; font-size: 10px; paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
    .paper { fill: #ffffff }
    .grid { stroke: #e4e7eb }
    .base { stroke: #1f2933; stroke-width: 1.5 }
    .budget { stroke: #d64545; stroke-dasharray: 3 2 }
    .ours { fill: #0e9f8e }
    .grdb { fill: #7b8794 }
    .raw-defaults { fill: #cbd2d9 }
    .curve { fill: none; stroke: #0e9f8e; stroke-width: 1.5 }
    .steep { fill: none; stroke: #d64545; stroke-width: 1.5 }
    .leader { stroke: #9aa5b1; stroke-width: 0.5 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e4e7eb }
      .quiet, .value { fill: #9aa5b1 }
      .value { stroke: #14191f }
      .paper { fill: #14191f }
      .grid { stroke: #2b333d }
      .base { stroke: #e4e7eb }
      .raw-defaults { fill: #4a5562 }
    }
    </style>
    """

  static func text(_ text: String, _ kind: String, x: Double, y: Double, anchor: String = "middle") -> String {
    let place = #"x="\#(x.fixed(1))" y="\#(y.fixed(1))" text-anchor="\#(anchor)""#
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return #"<text class="\#(kind)" \#(place)>\#(escaped)</text>"#
  }

  /// A vertical line.
  static func line(_ kind: String, x: Double, from top: Double, to bottom: Double) -> String {
    let x = x.fixed(1)
    return #"<line class="\#(kind)" x1="\#(x)" x2="\#(x)" y1="\#(top.fixed(1))" y2="\#(bottom.fixed(1))"/>"#
  }

  /// A line through points.
  static func curve(_ kind: String, _ points: [(x: Double, y: Double)]) -> String {
    let places = points.map { "\($0.x.fixed(1)),\($0.y.fixed(1))" }.joined(separator: " ")
    return #"<polyline class="\#(kind)" points="\#(places)"/>"#
  }
}

#if MEASURES_LIBRARY
  import BenchmarkCore
  import Foundation

  /// A diagram of the times of a row or an operation for stores of growing size. A horizontal line means that the time
  /// is in proportion to the number of rows, or does not depend on it.
  struct ScalePicture {
    private let results: ScaleResults

    private static let width = 920.0
    private static let top = 84.0
    private static let height = 330.0
    private static let gap = 74.0
    private static let (left, right) = (70.0, 540.0)

    init(_ results: ScaleResults) {
      self.results = results
    }

    /// The picture as SVG.
    var svg: String {
      let height = Self.top + 2 * Self.height + Self.gap + 40
      let caption = "stores of \(results.sizes.map(\.grouped).joined(separator: ", ")) rows · \(results.clock.title)"
      let opening = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width.fixed(0)) \(height.fixed(0))" role="img">
        <title>Time by the size of the store: \(caption)</title>
        \(PictureElements.styleSheet)
        <rect class="paper" width="100%" height="100%" rx="8"/>
        """
      let heading = [
        PictureElements.text("Time by the size of the store", "title", x: 24, y: 28, anchor: "start"),
        PictureElements.text(
          "\(caption) · red: time or memory out of proportion", "quiet", x: 24, y: 46, anchor: "start"),
      ]
      let panels =
        panel(.proportional, "time of a row", top: Self.top)
        + panel(.constant, "time of an operation", top: Self.top + Self.height + Self.gap)
      return ([opening] + heading + panels + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func panel(_ growth: ScaleOperation.Growth, _ title: String, top: Double) -> [String] {
      let rows = results.rows.filter { $0.operation.growth == growth && $0.points.contains { $0 != nil } }
      let scale = LogarithmicScale(rows.flatMap { $0.points.compactMap { $0?.each } }, from: top + Self.height, to: top)
      let curves = rows.map { row in
        let points = row.points.enumerated().compactMap { index, point in
          point.map { (x: x(of: index), y: scale.position(of: $0.each)) }
        }
        return PictureElements.curve(row.points.contains { $0?.isFault ?? false } ? "steep" : "curve", points)
      }
      let heading = PictureElements.text(title, "label", x: Self.left, y: top - 12, anchor: "start")
      return [heading] + grid(scale, top: top) + curves + labels(rows, scale, top: top)
    }

    /// The horizontal position of a size.
    private func x(of size: Int) -> Double {
      Self.left + Double(size) * (Self.right - Self.left) / Double(max(1, results.sizes.count - 1))
    }

    /// A vertical line for each size, and a horizontal line for each power of ten.
    private func grid(_ scale: LogarithmicScale, top: Double) -> [String] {
      let bottom = top + Self.height
      let sizes = results.sizes.enumerated().flatMap { index, rows in
        [
          PictureElements.line("grid", x: x(of: index), from: top, to: bottom),
          PictureElements.text(rows.grouped, "quiet", x: x(of: index), y: bottom + 16),
        ]
      }
      let times = scale.marks.flatMap { mark in
        let y = scale.position(of: mark)
        return [
          PictureElements.curve("grid", [(Self.left, y), (Self.right, y)]),
          PictureElements.text(Self.label(mark), "quiet", x: Self.left - 6, y: y + 4, anchor: "end"),
        ]
      }
      return sizes + times
    }

    private static func label(_ milliseconds: Double) -> String {
      switch milliseconds {
      case ..<0.0000009: "\((milliseconds * 1_000_000).fixed(1)) ns"
      case ..<0.0009: "\((milliseconds * 1_000_000).fixed(0)) ns"
      case ..<0.9: "\((milliseconds * 1000).fixed(0)) µs"
      default: "\(milliseconds.fixed(0)) ms"
      }
    }

    /// The titles at the right ends of the lines. Titles of lines that end near each other are moved apart.
    private func labels(_ rows: [ScaleResults.Row], _ scale: LogarithmicScale, top: Double) -> [String] {
      let distance = 15.0
      let ends = rows.map { (row: $0, end: scale.position(of: $0.points.compactMap { $0?.each }.last ?? 1)) }.sorted {
        $0.end < $1.end
      }
      var places = ends.map(\.end)
      for index in places.indices.dropFirst() { places[index] = max(places[index], places[index - 1] + distance) }
      let excess = max(0, (places.last ?? 0) - (top + Self.height))
      places = places.map { $0 - excess }
      for index in places.indices.reversed().dropFirst() {
        places[index] = min(places[index], places[index + 1] - distance)
      }
      return zip(ends, places).flatMap { end, place in
        let last = end.row.points.compactMap { $0?.each }.last ?? 0
        return [
          PictureElements.curve("leader", [(Self.right + 2, end.end), (Self.right + 24, place)]),
          PictureElements.text(
            "\(end.row.operation.title), \(last.asDuration)", "label", x: Self.right + 28, y: place + 4,
            anchor: "start"),
        ]
      }
    }
  }

  /// Computes the positions of values on a logarithmic axis, which begins and ends at powers of ten.
  struct LogarithmicScale {
    private let start: Double
    private let end: Double
    private let lowest: Double
    private let highest: Double

    init(_ values: [Double], from start: Double, to end: Double) {
      (self.start, self.end) = (start, end)
      lowest = floor(log10(values.min() ?? 1))
      highest = max(lowest + 1, ceil(log10(values.max() ?? 1)))
    }

    func position(of value: Double) -> Double {
      start + (log10(value) - lowest) / (highest - lowest) * (end - start)
    }

    /// The powers of ten on the axis.
    var marks: [Double] { stride(from: lowest, through: highest, by: 1).map { pow(10, $0) } }
  }
#endif

#if MEASURES_LIBRARY
  import BenchmarkGauge

  /// A table of the counts of all workloads for a terminal. It does not list functions.
  struct GaugeOverview {
    let text: String

    init(_ table: GaugeTable) {
      let rows: [[String]] =
        [["", "raw C", "ours", "ratio"]]
        + table.workloads.map { [$0.workload, $0.raw.grouped, $0.ours.grouped, $0.ratio.asRatio] }
      let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
      text = rows.map { Self.line(of: $0, widths) }.joined(separator: "\n")
    }

    private static func line(of cells: [String], _ widths: [Int]) -> String {
      zip(cells, widths).enumerated().map { column, cell in
        column == 0 ? cell.0.rightPadded(cell.1) : "  " + cell.0.leftPadded(cell.1)
      }.joined()
    }
  }
#endif

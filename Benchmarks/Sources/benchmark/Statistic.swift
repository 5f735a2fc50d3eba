import BenchmarkCore

/// The time of a sample to which tables refer: CPU time or elapsed time.
enum Clock: String, CaseIterable {
  case cpu
  case wall

  /// The title in tables.
  var title: String {
    switch self {
    case .cpu: "CPU time"
    case .wall: "wall-clock time"
    }
  }

  /// The chosen time of a sample, in milliseconds.
  func time(of sample: Sample) -> Double {
    switch self {
    case .cpu: sample.cpu
    case .wall: sample.wall
    }
  }
}

/// The median, minimum and maximum of several times.
struct Statistic {
  let median: Double
  let minimum: Double
  let maximum: Double

  /// Returns nil if there are no times.
  init?(_ times: [Double]) {
    let sorted = times.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let middle = sorted.count / 2
    median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    minimum = first
    maximum = last
  }
}

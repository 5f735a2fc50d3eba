/// The durations of many short operations, in milliseconds.
public struct Latencies: Sendable {
  private var sorted: [Double] = []

  public init(_ times: [Double]) {
    sorted = times.sorted()
  }

  public var count: Int { sorted.count }
  public var median: Double { quantile(0.5) }
  public var maximum: Double { sorted.last ?? 0 }

  /// The time in milliseconds that the given share of the operations (0 to 1) did not exceed.
  public func quantile(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}

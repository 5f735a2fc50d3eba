/// A workload or function whose instruction count may have changed.
public struct Growth: Equatable, Sendable {
  /// The share by which a count may grow or shrink without a report.
  public static let tolerance = 0.02

  /// The workload or the function.
  public let name: String
  public let before: Int
  public let now: Int

  public init(of name: String, from before: Int, to now: Int) {
    self.name = name
    self.before = before
    self.now = now
  }

  /// The number of added instructions.
  public var difference: Int { now - before }

  /// Whether it grew by more than the tolerance.
  public var isGrown: Bool { Double(now) > Double(before) * (1 + Self.tolerance) }

  /// Whether it shrank by more than the tolerance.
  public var isShrunk: Bool { Double(now) < Double(before) * (1 - Self.tolerance) }
}

/// A workload that grew, and the functions in it that grew.
public struct WorkloadGrowth: Equatable, Sendable {
  public let workload: Growth

  /// The functions, the largest increase first.
  public let functions: [Growth]

  /// Nil if the workload has not grown by more than the tolerance.
  init?(from stored: WorkloadCount, to measured: WorkloadCount) {
    workload = Growth(of: measured.workload, from: stored.ours, to: measured.ours)
    guard workload.isGrown else { return nil }
    let growths = measured.functions.map { name, count in
      Growth(of: name, from: stored.functions[name] ?? min(stored.leftOut, count), to: count)
    }
    functions = growths.filter(\.isGrown).sorted { ($1.difference, $0.name) < ($0.difference, $1.name) }
  }
}

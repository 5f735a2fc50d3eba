/// The instruction counts of one workload or function in the stored table and now.
public struct Growth: Equatable, Sendable {
  /// A count may grow or shrink by this share (2 %) without being reported.
  public static let tolerance = 0.02

  /// The name of the workload or function.
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

  /// True if the count grew by more than the tolerance.
  public var isGrown: Bool { Double(now) > Double(before) * (1 + Self.tolerance) }

  /// True if the count shrank by more than the tolerance.
  public var isShrunk: Bool { Double(now) < Double(before) * (1 - Self.tolerance) }
}

/// A workload that takes more instructions than before, and its functions that take more.
public struct WorkloadGrowth: Equatable, Sendable {
  public let workload: Growth

  /// The functions that take more instructions, largest increase first.
  public let functions: [Growth]

  /// Returns nil if the workload's count has not grown by more than the tolerance.
  init?(from stored: WorkloadCount, to measured: WorkloadCount) {
    workload = Growth(of: measured.workload, from: stored.ours, to: measured.ours)
    guard workload.isGrown else { return nil }
    let growths = measured.functions.map { name, count in
      Growth(of: name, from: stored.functions[name] ?? min(stored.leftOut, count), to: count)
    }
    functions = growths.filter(\.isGrown).sorted { ($1.difference, $0.name) < ($0.difference, $1.name) }
  }
}

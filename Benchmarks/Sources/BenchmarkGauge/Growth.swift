/// Something that takes more instructions than it did, or fewer.
public struct Growth: Equatable, Sendable {
  /// The part by which something may grow or shrink without a word.
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

  /// How many instructions were added.
  public var difference: Int { now - before }

  /// Whether it grew by more than is tolerated.
  public var isGrown: Bool { Double(now) > Double(before) * (1 + Self.tolerance) }

  /// Whether it shrank by more than is tolerated.
  public var isShrunk: Bool { Double(now) < Double(before) * (1 - Self.tolerance) }
}

/// A workload that grew, and the functions in it that did.
public struct WorkloadGrowth: Equatable, Sendable {
  public let workload: Growth

  /// The one that added most comes first.
  public let functions: [Growth]

  /// Nil when the workload has not grown by more than is tolerated.
  init?(from stored: WorkloadCount, to measured: WorkloadCount) {
    workload = Growth(of: measured.workload, from: stored.ours, to: measured.ours)
    guard workload.isGrown else { return nil }
    let growths = measured.functions.map { name, count in
      Growth(of: name, from: stored.functions[name] ?? min(stored.leftOut, count), to: count)
    }
    functions = growths.filter(\.isGrown).sorted { ($1.difference, $0.name) < ($0.difference, $1.name) }
  }
}

/// The number of instructions that each function executed itself, without those of the functions that it called.
public struct Profile: Equatable, Sendable {
  /// The instruction count of each function, by name.
  public let counts: [String: Int]

  public init(_ counts: [String: Int]) {
    self.counts = counts
  }

  /// The instructions of all functions.
  public var total: Int { counts.values.reduce(0, +) }

  /// Returns the profile with renamed functions. The counts of functions with the same new name, such as
  /// specialisations of one generic function, are added.
  public func renamed(_ name: (String) -> String) -> Profile {
    var sums: [String: Int] = [:]
    for (function, count) in counts { sums[name(function), default: 0] += count }
    return Profile(sums)
  }
}

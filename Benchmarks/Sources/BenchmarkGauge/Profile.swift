/// The number of instructions of each function, without those of called functions.
public struct Profile: Equatable, Sendable {
  /// The counts by name of the function.
  public let counts: [String: Int]

  public init(_ counts: [String: Int]) {
    self.counts = counts
  }

  /// The instructions of all functions.
  public var total: Int { counts.values.reduce(0, +) }

  /// The profile with other names. Functions with the same new name, such as specialisations of a generic one, are
  /// summed up.
  public func renamed(_ name: (String) -> String) -> Profile {
    var sums: [String: Int] = [:]
    for (function, count) in counts { sums[name(function), default: 0] += count }
    return Profile(sums)
  }
}

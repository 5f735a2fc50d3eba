/// How many instructions each function took, without those of what it called.
public struct Profile: Equatable, Sendable {
  /// By the name of the function.
  public let counts: [String: Int]

  public init(_ counts: [String: Int]) {
    self.counts = counts
  }

  /// The instructions of all functions.
  public var total: Int { counts.values.reduce(0, +) }

  /// The same under other names. What gets one name is added up, as specialisations of a generic function are.
  public func renamed(_ name: (String) -> String) -> Profile {
    var sums: [String: Int] = [:]
    for (function, count) in counts { sums[name(function), default: 0] += count }
    return Profile(sums)
  }
}

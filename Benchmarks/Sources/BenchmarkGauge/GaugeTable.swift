/// The instruction counts of all workloads, and the conditions under which they were counted.
public struct GaugeTable: Equatable, Sendable {
  public let conditions: [Condition]
  public let workloads: [WorkloadCount]

  public init(conditions: [Condition], workloads: [WorkloadCount]) {
    self.conditions = conditions
    self.workloads = workloads
  }
}

/// The instruction counts of one workload.
public struct WorkloadCount: Equatable, Sendable {
  public let workload: String

  /// The instructions of the library and of the functions that it calls.
  public let ours: Int

  /// The instructions of hand-written code for the same workload.
  public let raw: Int

  /// The library's instructions by demangled function name. A measurement has all functions; the stored table has only
  /// those that take at least 0.5 % of the workload.
  public let functions: [String: Int]

  public init(workload: String, ours: Int, raw: Int, functions: [String: Int]) {
    self.workload = workload
    self.ours = ours
    self.raw = raw
    self.functions = functions
  }

  /// The library's instructions as a multiple of those of hand-written code.
  public var ratio: Double { Double(ours) / Double(max(raw, 1)) }

  /// The table omits functions with fewer instructions than this: 0.5 % of the workload.
  public var leftOut: Int { ours / 200 }
}

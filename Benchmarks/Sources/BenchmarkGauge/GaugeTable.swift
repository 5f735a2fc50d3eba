/// The instructions of every workload, and under which conditions they were counted.
public struct GaugeTable: Equatable, Sendable {
  public let conditions: [Condition]
  public let workloads: [WorkloadCount]

  public init(conditions: [Condition], workloads: [WorkloadCount]) {
    self.conditions = conditions
    self.workloads = workloads
  }
}

/// The instructions of one workload.
public struct WorkloadCount: Equatable, Sendable {
  public let workload: String

  /// Those of the library, and of what it calls.
  public let ours: Int

  /// Those of hand-written code.
  public let raw: Int

  /// The library's by function, demangled: all that were counted, or those that the table has.
  public let functions: [String: Int]

  public init(workload: String, ours: Int, raw: Int, functions: [String: Int]) {
    self.workload = workload
    self.ours = ours
    self.raw = raw
    self.functions = functions
  }

  /// How many times the instructions of hand-written code the library takes.
  public var ratio: Double { Double(ours) / Double(max(raw, 1)) }

  /// The most that a function can have which the table leaves out: half a hundredth of the workload.
  public var leftOut: Int { ours / 200 }
}

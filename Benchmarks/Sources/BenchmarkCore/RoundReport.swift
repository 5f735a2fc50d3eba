/// What the process of one contender found out in one round.
public struct RoundReport: Codable, Sendable {
  /// The results, in the order in which the workloads ran.
  public let results: [WorkloadResult]

  /// The most memory that the process ever held, in bytes.
  public let peakMemory: Int
}

/// What one workload took and came to.
public struct WorkloadResult: Codable, Sendable {
  public let workload: Workload
  public let samples: [Sample]
  public let checksum: Int
}

/// The measurements of one round, which a contender's process writes to a file.
public struct RoundReport: Codable, Sendable {
  /// The results, in the order in which the workloads ran.
  public let results: [WorkloadResult]

  /// The peak memory of the process, in bytes.
  public let peakMemory: Int
}

/// The measurements and the checksum of one workload.
public struct WorkloadResult: Codable, Sendable {
  public let workload: Workload
  public let samples: [Sample]
  public let checksum: Int
}

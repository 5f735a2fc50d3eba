import Foundation

/// Takes the time of what is handed to ``measure(_:)``, and of nothing around it.
public final class Stopwatch {
  /// The times taken so far.
  public private(set) var samples: [Sample] = []

  public init() {}

  /// Does the work and notes how long it took. `gauge` counts instructions between the beginning and the end of this
  /// function, which it knows by its name: therefore it is never inlined.
  @inline(never)
  public func measure<Result>(_ work: () throws -> Result) rethrows -> Result {
    let wall = Self.read(CLOCK_MONOTONIC)
    let cpu = Self.read(CLOCK_PROCESS_CPUTIME_ID)
    let result = try work()
    samples.append(Sample(cpu: Self.read(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall: Self.read(CLOCK_MONOTONIC) - wall))
    return result
  }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}

/// One measurement, in milliseconds.
public struct Sample: Codable, Sendable {
  /// The time that all threads of the process spent computing.
  public let cpu: Double

  /// The time that passed.
  public let wall: Double
}

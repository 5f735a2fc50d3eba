import Foundation

/// Takes the time of what is handed to ``measure(_:)``, and of nothing around it.
public final class Stopwatch {
  /// The times taken so far.
  public private(set) var samples: [Sample] = []

  private let server: ServerProcesses?

  /// - Parameter server: Whose time is noted, too.
  public init(server: ServerProcesses? = nil) {
    self.server = server
  }

  /// Does the work and notes how long it took. `gauge` counts instructions between the beginning and the end of this
  /// function, which it knows by its name: therefore it is never inlined.
  @inline(never)
  public func measure<Result>(_ work: () throws -> Result) rethrows -> Result {
    let serverTime = server?.time
    let wall = Self.read(CLOCK_MONOTONIC)
    let cpu = Self.read(CLOCK_PROCESS_CPUTIME_ID)
    let result = try work()
    let (cpuEnd, wallEnd) = (Self.read(CLOCK_PROCESS_CPUTIME_ID), Self.read(CLOCK_MONOTONIC))
    let serverWork = serverTime.flatMap { start in server.map { $0.time - start } }
    samples.append(Sample(cpu: cpuEnd - cpu, wall: wallEnd - wall, server: serverWork))
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

  /// The time that the processes of the database's server spent computing; nil where there is none.
  public let server: Double?
}

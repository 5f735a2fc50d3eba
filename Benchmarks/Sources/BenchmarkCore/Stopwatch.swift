import Foundation

/// Measures the time of the closures that are passed to ``measure(_:)``.
public final class Stopwatch {
  /// The times measured so far.
  public private(set) var samples: [Sample] = []

  private let server: ServerProcesses?

  /// - Parameter server: The server whose CPU time is measured too.
  public init(server: ServerProcesses? = nil) {
    self.server = server
  }

  /// Runs the work and records its time. `Benchmarks/gauge` counts the instructions within this function. It finds the
  /// function by its name, so the function must not be inlined.
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

  /// Runs asynchronous work and records its time.
  public func measureAsync<Result>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
  ) async rethrows -> Result {
    let (wall, cpu) = (Self.read(CLOCK_MONOTONIC), Self.read(CLOCK_PROCESS_CPUTIME_ID))
    let result = try await work()
    let (cpuEnd, wallEnd) = (Self.read(CLOCK_PROCESS_CPUTIME_ID), Self.read(CLOCK_MONOTONIC))
    samples.append(Sample(cpu: cpuEnd - cpu, wall: wallEnd - wall, server: nil))
    return result
  }

  /// Records an elapsed time that the caller has measured, such as the time that a share of many operations took.
  func record(_ milliseconds: Double) {
    samples.append(Sample(cpu: milliseconds, wall: milliseconds, server: nil))
  }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}

/// The times of one measurement, in milliseconds.
public struct Sample: Codable, Sendable {
  /// The CPU time of all threads of the process.
  public let cpu: Double

  /// The elapsed time.
  public let wall: Double

  /// The CPU time of the processes of the database server; nil without a server.
  public let server: Double?
}

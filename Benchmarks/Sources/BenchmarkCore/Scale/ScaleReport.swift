/// The measurement of one operation on a store with a given number of rows.
public struct ScaleReport: Codable, Sendable {
  public let operation: ScaleOperation
  public let rows: Int
  public let sample: Sample
  /// The number of rows or operations in the sample, by which the time is divided.
  public let count: Int
  /// By how many bytes the peak memory of the process exceeded its memory before the operation.
  public let memory: Int

  /// The time of one row or operation in milliseconds.
  public func each(_ time: (Sample) -> Double) -> Double { time(sample) / Double(max(1, count)) }

  /// Runs an operation, and measures its time and the growth of the peak memory.
  ///
  /// - Parameter run: Prepares the operation, runs it in the stopwatch, and returns the number of rows or operations.
  public init(
    of operation: ScaleOperation, rows: Int, _ run: (ScaleStopwatch) async throws -> Int
  ) async throws {
    (self.operation, self.rows) = (operation, rows)
    let stopwatch = ScaleStopwatch()
    PeakMemory.reset()
    let before = PeakMemory.ofThisProcess()
    count = try await run(stopwatch)
    memory = max(0, stopwatch.peakMemory - before)
    guard let sample = stopwatch.sample else { throw ScaleError.nothingMeasured(operation) }
    self.sample = sample
  }
}

/// Measures the time of an operation, and the peak memory of the process at its end. The memory includes that of the
/// preparation, but not that of the code that checks the result.
public final class ScaleStopwatch {
  private let stopwatch = Stopwatch()
  private(set) var peakMemory = 0

  /// The times of the operation; nil before it has run.
  var sample: Sample? { stopwatch.samples.last }

  public init() {}

  /// Runs the operation and records its time.
  public func measure<Result>(_ work: () throws -> Result) rethrows -> Result {
    defer { peakMemory = PeakMemory.ofThisProcess() }
    return try stopwatch.measure(work)
  }

  /// Runs an asynchronous operation and records its time.
  public func measureAsync<Result>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
  ) async rethrows -> Result {
    defer { peakMemory = PeakMemory.ofThisProcess() }
    return try await stopwatch.measureAsync(work)
  }
}

/// An error that makes the measurement of an operation invalid.
public enum ScaleError: Error, CustomStringConvertible {
  case nothingMeasured(ScaleOperation)
  /// The operation did not find or change the rows that it should.
  case wrongResult(ScaleOperation, expected: Int, found: Int)

  public var description: String {
    switch self {
    case .nothingMeasured(let operation): "\(operation.rawValue) measured nothing"
    case .wrongResult(let operation, let expected, let found):
      "\(operation.rawValue) came to \(found), and \(expected) is right"
    }
  }

  /// Throws unless an operation came to the right number.
  public static func check(_ operation: ScaleOperation, _ found: Int, is expected: Int) throws {
    guard found == expected else { throw wrongResult(operation, expected: expected, found: found) }
  }
}

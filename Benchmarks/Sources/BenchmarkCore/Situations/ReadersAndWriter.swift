import Foundation

/// Runs readers and a writer on one database at the same time, each on a thread of its own, and measures each read and
/// each save.
///
/// The work is limited by time, not by the number of operations: otherwise the last of them would run without the
/// others.
public enum ReadersAndWriter {
  /// A read of the rows in a range. It returns a checksum of the rows' fields, without the field that the writer
  /// changes.
  public typealias Read = (Range<Int>) throws -> Int

  /// Runs the readers and the writer for the time of the plan, and records the time of 1,000 reads, the 99th percentile
  /// of a read, and both times of saves.
  ///
  /// The times of 1,000 operations express the throughput: the elapsed time divided by the number of operations of all
  /// readers, or of the writer.
  ///
  /// - Parameters:
  ///   - makeReader: Called on the thread of each reader, and once more to compute the checksums that the reads must
  ///     have.
  ///   - makeWriter: Called on the thread of the writer. Its result changes a row and saves it.
  /// - Returns: A checksum of the rows in the ranges, and the number of saves.
  public static func run(
    _ plan: SituationPlan, _ stopwatch: Stopwatch, makeReader: @escaping @Sendable () throws -> Read,
    makeWriter: @escaping @Sendable () throws -> () throws -> Void
  ) throws -> (checksum: Int, saves: Int) {
    let ranges = plan.items.wideRanges
    let expected = try ranges.map(try makeReader())
    let (reads, saves) = (Durations(), Durations())
    let total = Stopwatch()
    try Clients.run(plan.readers + 1, total) { client in
      guard client > 0 else {
        let save = try makeWriter()
        return { try saves.add(for: plan.seconds) { _ in try save() } }
      }
      let read = try makeReader()
      return { try reads.add(for: plan.seconds) { try check(read, ranges, expected, client * 251 + $0) } }
    }
    let elapsed = total.samples.reduce(0) { $0 + $1.wall }
    for durations in [reads.latencies, saves.latencies] {
      stopwatch.record(elapsed * 1000 / Double(max(1, durations.count)))
      stopwatch.record(durations.quantile(0.99))
    }
    return (expected.reduce(0, &+), saves.latencies.count)
  }

  /// Reads the rows of one of the ranges. Throws if the rows are not those that a reader without a concurrent writer
  /// found.
  private static func check(_ read: Read, _ ranges: [Range<Int>], _ expected: [Int], _ number: Int) throws {
    let index = number % ranges.count
    guard try read(ranges[index]) == expected[index] else {
      throw SituationError.notDone(.readersAndWriter, reason: "a reader found other rows in \(ranges[index])")
    }
  }
}

/// The durations of the operations of several threads.
private final class Durations: @unchecked Sendable {
  // Sendable without checks: the lock guards the only variable.
  private let lock = NSLock()
  private var milliseconds: [Double] = []

  var latencies: Latencies { Latencies(lock.withLock { milliseconds }) }

  /// Repeats an operation, which gets the number of its repetition, until the time is over. The durations are added at
  /// the end, so that the threads do not wait for each other.
  func add(for seconds: Double, _ operation: (Int) throws -> Void) throws {
    var own: [Double] = []
    let end = ContinuousClock.now + .seconds(seconds)
    var now = ContinuousClock.now
    while now < end {
      try operation(own.count)
      let next = ContinuousClock.now
      own.append((next - now) / .milliseconds(1))
      now = next
    }
    lock.withLock { milliseconds += own }
  }
}

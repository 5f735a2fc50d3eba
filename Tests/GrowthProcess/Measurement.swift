import CAllocation
import SwiftData

/// Measures the cost of an operation: the CPU time of the whole process, and the memory that stays allocated.
enum Measurement {
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Measures the CPU time of an operation with two amounts of work. Each result is the minimum of several runs, in
  /// seconds.
  ///
  /// Runs with the small and the large amount alternate, so that a slow period of the machine affects both.
  static func seconds(
    _ operation: Operation, _ counts: (small: Int, large: Int), isInMemory: Bool, runs: Int
  ) throws -> (small: Double, large: Double) {
    var least = (small: Double.infinity, large: Double.infinity)
    for _ in 0..<runs {
      least.small = min(least.small, try seconds(operation, counts.small, isInMemory: isInMemory))
      least.large = min(least.large, try seconds(operation, counts.large, isInMemory: isInMemory))
      // The small amount runs a second time: if other programs slowed down the small run, the growth would seem too
      // small.
      least.small = min(least.small, try seconds(operation, counts.small, isInMemory: isInMemory))
    }
    return least
  }

  /// Measures the CPU time of one run of an operation, in seconds.
  static func seconds(_ operation: Operation, _ count: Int, isInMemory: Bool) throws -> Double {
    let world = try World(isInMemory: isInMemory)
    // The world is released after the measurement, because its release deletes files, which is not part of the
    // operation.
    defer { withExtendedLifetime(world) {} }
    try operation.prepare(world, count)
    let start = processorTime
    try operation.run(world, count)
    return processorTime - start
  }

  /// Measures the bytes that each further round of an operation leaves allocated. Each round ends by deleting all rows
  /// that the operation inserted, so that correct code needs no more memory for each round.
  ///
  /// Model objects that refer to each other are released when their rows are deleted.
  ///
  /// Hash tables double their size and shrink only occasionally, so the allocated memory rises and falls. Therefore the
  /// minimum of the last rounds is compared with the minimum of the first rounds.
  ///
  /// - Parameter keepsContext: Whether all rounds use one context, which stays alive.
  static func growth(
    _ operation: Operation, _ count: Int, isInMemory: Bool, keepsContext: Bool, rounds: Int
  ) throws -> Int {
    let bytes = try allocatedBytes(operation, count, isInMemory: isInMemory, keepsContext: keepsContext, rounds: rounds)
    // The first two rounds fill caches, so they are not compared.
    let settled = bytes.dropFirst(2)
    let window = settled.count / 3
    let (first, last) = (settled.prefix(window).min() ?? 0, settled.suffix(window).min() ?? 0)
    return (last - first) / (settled.count - window)
  }

  /// Measures the allocated bytes of the process after each round of an operation.
  static func allocatedBytes(
    _ operation: Operation, _ count: Int, isInMemory: Bool, keepsContext: Bool, rounds: Int
  ) throws -> [Int] {
    let world = try World(isInMemory: isInMemory)
    return try (0..<rounds).map { _ in
      try operation.prepare(world, count)
      try operation.run(world, count)
      if keepsContext { try world.finish() }
      world.kept = []
      world.identifiers = []
      if !keepsContext { world.forget() }
      try world.empty()
      // The context of the operation applies the deletions, which another context has saved, at its next fetch.
      if keepsContext { _ = try world.context.fetchCount(FetchDescriptor<Item>()) }
      return Int(osd_allocated_bytes())
    }
  }
}

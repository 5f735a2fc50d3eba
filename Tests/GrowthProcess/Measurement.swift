import CAllocation
import SwiftData

/// Measures the cost of an operation: CPU time of the whole process, and memory.
enum Measurement {
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The CPU time of an operation at two sizes: the minimum of several runs of each size.
  ///
  /// The runs alternate between the sizes, so that a slow period of the machine affects both.
  static func seconds(
    _ operation: Operation, _ counts: (small: Int, large: Int), isInMemory: Bool, runs: Int
  ) throws -> (small: Double, large: Double) {
    var least = (small: Double.infinity, large: Double.infinity)
    for _ in 0..<runs {
      least.small = min(least.small, try seconds(operation, counts.small, isInMemory: isInMemory))
      least.large = min(least.large, try seconds(operation, counts.large, isInMemory: isInMemory))
      // Once more: a disturbance of the small run would hide growth.
      least.small = min(least.small, try seconds(operation, counts.small, isInMemory: isInMemory))
    }
    return least
  }

  /// The CPU time of one run of an operation.
  static func seconds(_ operation: Operation, _ count: Int, isInMemory: Bool) throws -> Double {
    let world = try World(isInMemory: isInMemory)
    // The release of the world, which deletes files for example, is not part of the operation.
    defer { withExtendedLifetime(world) {} }
    try operation.prepare(world, count)
    let start = processorTime
    try operation.run(world, count)
    return processorTime - start
  }

  /// The memory that each further round of an operation keeps, where a round leaves the store as it was.
  ///
  /// Objects that refer to each other are released when their rows are deleted.
  ///
  /// Tables that double their size and shrink occasionally make memory rise and fall. With many rounds, the minimum of
  /// the last rounds is compared with the minimum of the first ones.
  ///
  /// - Parameter keepsContext: Whether all rounds use one context, which stays alive.
  static func growth(
    _ operation: Operation, _ count: Int, isInMemory: Bool, keepsContext: Bool, rounds: Int
  ) throws -> Int {
    let bytes = try allocatedBytes(operation, count, isInMemory: isInMemory, keepsContext: keepsContext, rounds: rounds)
    // The first rounds fill caches.
    let settled = bytes.dropFirst(2)
    let window = settled.count / 3
    let (first, last) = (settled.prefix(window).min() ?? 0, settled.suffix(window).min() ?? 0)
    return (last - first) / (settled.count - window)
  }

  /// The allocated bytes of the process after each round of an operation.
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
      // A context learns of deletions by other contexts at its next operation.
      if keepsContext { _ = try world.context.fetchCount(FetchDescriptor<Item>()) }
      return Int(osd_allocated_bytes())
    }
  }
}

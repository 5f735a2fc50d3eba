import CAllocation
import SwiftData

/// What an operation costs, in the processor's time of the whole process and in memory.
enum Measurement {
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The processor's time that an operation takes at two sizes: the least of several runs of each.
  ///
  /// They take turns: whatever slows the machine for a while slows both.
  static func seconds(
    _ operation: Operation, _ counts: (small: Int, large: Int), isInMemory: Bool, runs: Int
  ) throws -> (small: Double, large: Double) {
    var least = (small: Double.infinity, large: Double.infinity)
    for _ in 0..<runs {
      least.small = min(least.small, try seconds(operation, counts.small, isInMemory: isInMemory))
      least.large = min(least.large, try seconds(operation, counts.large, isInMemory: isInMemory))
      // Once more: what disturbs the shorter one would hide growth.
      least.small = min(least.small, try seconds(operation, counts.small, isInMemory: isInMemory))
    }
    return least
  }

  /// The processor's time that an operation takes once.
  static func seconds(_ operation: Operation, _ count: Int, isInMemory: Bool) throws -> Double {
    let world = try World(isInMemory: isInMemory)
    // What ends with the world, such as the files of the store, is no part of the operation.
    defer { withExtendedLifetime(world) {} }
    try operation.prepare(world, count)
    let start = processorTime
    try operation.run(world, count)
    return processorTime - start
  }

  /// How much memory each further round of an operation takes that leaves the store as it was.
  ///
  /// Objects that refer to each other let go of each other as soon as their rows are gone.
  ///
  /// Tables that grow by doubling and are cut now and then make memory go up and down. With many rounds the least of the
  /// last ones is compared with the least of the first.
  ///
  /// - Parameter keepsContext: Whether all rounds are in one context, which lives on.
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

  /// How much memory the process has taken after each round of an operation.
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
      // What others deleted is known to a context that looks.
      if keepsContext { _ = try world.context.fetchCount(FetchDescriptor<Item>()) }
      return Int(osd_allocated_bytes())
    }
  }
}

import CAllocation
import SwiftData

/// What an operation costs, in the processor's time of the whole process and in memory.
enum Measurement {
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The processor's time that an operation takes at some size: the least of several runs.
  static func seconds(_ operation: Operation, _ count: Int, isInMemory: Bool, runs: Int) throws -> Double {
    var least = Double.infinity
    for _ in 0..<runs {
      let world = try World(isInMemory: isInMemory)
      try operation.prepare(world, count)
      let start = processorTime
      try operation.run(world, count)
      least = min(least, processorTime - start)
    }
    return least
  }

  /// How much memory each further round of an operation takes that leaves the store as it was.
  ///
  /// - Parameter keepsContext: Whether all rounds are in one context, which lives on.
  static func growth(
    _ operation: Operation, _ count: Int, isInMemory: Bool, keepsContext: Bool
  ) throws -> Int {
    let world = try World(isInMemory: isInMemory)
    var bytes: [Int] = []
    for _ in 0..<6 {
      try operation.prepare(world, count)
      try operation.run(world, count)
      world.kept = []
      world.identifiers = []
      if keepsContext { world.context.undoManager = nil } else { world.forget() }
      try world.empty()
      // What others deleted is known to a context that looks.
      if keepsContext { _ = try world.context.fetchCount(FetchDescriptor<Item>()) }
      bytes.append(Int(osd_allocated_bytes()))
    }
    // The first rounds fill caches.
    return (bytes[5] - bytes[2]) / 3
  }
}

import SwiftData
import Synchronization

/// The clock of a run's autosaves: each step advances it by a fixed time, so autosaves are as frequent on fast machines
/// as on slow ones, and occur at the same steps when a seed is repeated.
final class SteppedClock: AutosaveClock {
  private let steps = Atomic<Int64>(0)

  var now: Duration { .milliseconds(100 * steps.load(ordering: .relaxed)) }

  /// Does nothing: these contexts have no executor, and save with their next operation.
  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {}

  func step() {
    steps.add(1, ordering: .relaxed)
  }
}

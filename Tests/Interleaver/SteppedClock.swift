import SwiftData
import Synchronization

/// The clock of a run's autosaves: each step takes a moment, so that they come as often on a fast machine as on a slow
/// one, and at the same steps when a seed is repeated.
final class SteppedClock: AutosaveClock {
  private let steps = Atomic<Int64>(0)

  var now: Duration { .milliseconds(100 * steps.load(ordering: .relaxed)) }

  /// Nothing is known to run these contexts: they save with their next operation.
  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {}

  func step() {
    steps.add(1, ordering: .relaxed)
  }
}

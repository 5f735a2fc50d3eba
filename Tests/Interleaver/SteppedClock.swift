import SwiftData
import Synchronization

/// The clock of the contexts that save by themselves. Each step of the run advances it by a fixed time. Therefore
/// autosaves are as frequent on fast machines as on slow ones, and a repeated seed has its autosaves at the same steps.
final class SteppedClock: AutosaveClock {
  private let steps = Atomic<Int64>(0)

  var now: Duration { .milliseconds(100 * steps.load(ordering: .relaxed)) }

  /// Does nothing, because these contexts have no executor: they check at their next operation whether to save.
  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {}

  func step() {
    steps.add(1, ordering: .relaxed)
  }
}

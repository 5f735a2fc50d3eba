import PersistenceCore

/// A clock of autosaves that advances only when a test calls it.
package final class ManualClock: AutosaveClock {
  private struct Call: Sendable {
    let moment: Duration
    let action: @Sendable () async -> Void
  }

  private struct State {
    var now = Duration.zero
    var calls: [Call] = []
  }

  private let state = Lock(State())

  package init() {}

  package var now: Duration { state.withLock(\.now) }

  /// The number of scheduled actions.
  package var callCount: Int { state.withLock(\.calls.count) }

  package func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {
    state.withLock { $0.calls.append(Call(moment: $0.now + delay, action: action)) }
  }

  /// Advances the time, runs the actions that become due, and returns when they have finished.
  package func advance(by duration: Duration) async {
    let end = now + duration
    while let action = next(until: end) { await action() }
    state.withLock { $0.now = end }
  }

  /// Advances the time without running actions, as if other code occupied the executor of the context.
  package func pass(_ duration: Duration) {
    state.withLock { $0.now += duration }
  }

  private func next(until end: Duration) -> (@Sendable () async -> Void)? {
    state.withLock { state in
      let due = state.calls.indices.filter { state.calls[$0].moment <= end }
      guard let first = due.min(by: { state.calls[$0].moment < state.calls[$1].moment }) else { return nil }
      let call = state.calls.remove(at: first)
      state.now = max(state.now, call.moment)
      return call.action
    }
  }
}

import PersistenceCore

/// A clock of autosaves that stands still until a test moves it.
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

  /// How many actions wait.
  package var callCount: Int { state.withLock(\.calls.count) }

  package func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {
    state.withLock { $0.calls.append(Call(moment: $0.now + delay, action: action)) }
  }

  /// Lets time pass, and with it what was to happen in it: all of that has ended when this returns.
  package func advance(by duration: Duration) async {
    let end = now + duration
    while let action = next(until: end) { await action() }
    state.withLock { $0.now = end }
  }

  /// Lets time pass in which nothing can run, as while the code of a context keeps its executor.
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

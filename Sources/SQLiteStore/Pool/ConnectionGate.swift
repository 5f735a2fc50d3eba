import Dispatch
import PersistenceSupport

/// Lets one owner at a time through, in the order in which they came.
///
/// The owner is a thread, which may enter again when it says so. Where the owner stays inside for long, as a
/// transaction does, it may go on in another thread after telling the gate.
final class ConnectionGate: Sendable {
  private final class Waiter: Sendable {
    let thread = ThreadIdentity.current
    let isServed = DispatchSemaphore(value: 0)
  }

  private struct State {
    var owner: ThreadIdentity?
    var depth = 0
    var waiters: [Waiter] = []
  }

  private let state = Lock(State())

  /// Waits for the gate and says whether it opened before the deadline.
  func enter(isReentrant: Bool, deadline: () -> DispatchTime) -> Bool {
    let waiter: Waiter? = state.withLock { state in
      let current = ThreadIdentity.current
      if state.depth == 0 || (isReentrant && state.owner == current) {
        state.owner = current
        state.depth += 1
        return nil
      }
      let waiter = Waiter()
      state.waiters.append(waiter)
      return waiter
    }
    guard let waiter else { return true }
    if waiter.isServed.wait(timeout: deadline()) == .success { return true }
    return state.withLock { state in
      // A waiter that has left the queue was let in after its time was up.
      guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return true }
      state.waiters.remove(at: index)
      return false
    }
  }

  /// Lets the next one in, once the owner has left as often as it entered.
  func leave() {
    let next: Waiter? = state.withLock { state in
      state.depth -= 1
      guard state.depth == 0 else { return nil }
      state.owner = nil
      guard !state.waiters.isEmpty else { return nil }
      let next = state.waiters.removeFirst()
      state.owner = next.thread
      state.depth = 1
      return next
    }
    next?.isServed.signal()
  }

  /// Makes the current thread the owner, on behalf of the owner.
  func adopt() {
    state.withLock { $0.owner = .current }
  }
}

import PersistenceRuntime
import PersistenceSupport

/// Lets an asynchronous sequence wait for commits that change the entities and properties it reads. Thread-safe.
///
/// The changes of several commits are merged until the sequence receives them, so that they take little memory even if
/// the consumer of the sequence is slow.
package final class ChangeSignal: ChangeWatcher {
  private struct State {
    var changes = CommittedChanges()
    var waiter: CheckedContinuation<Void, Never>?
    var hasEnded = false
  }

  package let footprint: Footprint
  package let wantsKeys: Bool
  private let store: StoreCoordinator
  private let state = Lock(State())

  /// Begins to watch a store.
  ///
  /// - Parameter wantsKeys: Whether the received changes must contain the keys of the changed rows.
  package init(_ footprint: Footprint, in store: StoreCoordinator, wantsKeys: Bool = false) {
    self.footprint = footprint
    self.store = store
    self.wantsKeys = wantsKeys
    store.add(self)
  }

  /// Removes the signal from the store, and resumes the waiting task.
  package func end() {
    store.remove(self)
    close()
  }

  package func receive(_ changes: CommittedChanges) {
    let waiter = state.withLock { state in
      state.changes.merge(changes)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  package func close() {
    let waiter = state.withLock { state in
      state.hasEnded = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Waits until there are changes, and returns them.
  ///
  /// - Returns: The changes; nil if the task was cancelled, or the store was closed.
  package func next(isolation: isolated (any Actor)? = #isolation) async -> CommittedChanges? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.changes.isEmpty, !state.hasEnded else { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      close()
    }
    return take()
  }

  /// Returns and removes the changes received so far, without waiting; nil if the sequence has ended.
  private func take() -> CommittedChanges? {
    state.withLock { state in
      defer { state.changes = CommittedChanges() }
      return state.hasEnded ? nil : state.changes
    }
  }
}

import PersistenceRuntime
import PersistenceSupport

/// The changes that a sequence waits for: those that touch a footprint, merged until they are taken. Thread-safe.
///
/// It keeps one set of changes for any number of commits, and a slow consumer gets their union.
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
  /// - Parameter wantsKeys: Whether the keys of rows are needed.
  package init(_ footprint: Footprint, in store: StoreCoordinator, wantsKeys: Bool = false) {
    self.footprint = footprint
    self.store = store
    self.wantsKeys = wantsKeys
    store.add(self)
  }

  /// Ends the watch, and resumes the task that waits. The store releases the signal.
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

  /// Waits for changes and takes them.
  ///
  /// - Returns: The changes; nil if the task is cancelled, or the store is closed.
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

  /// The changes so far, without waiting; nil if the sequence has ended.
  private func take() -> CommittedChanges? {
    state.withLock { state in
      defer { state.changes = CommittedChanges() }
      return state.hasEnded ? nil : state.changes
    }
  }
}

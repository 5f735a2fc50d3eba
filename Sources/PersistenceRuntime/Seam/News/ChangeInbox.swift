import PersistenceSupport
import Synchronization

/// Collects the changes of other contexts for one context, which takes them out between operations. Thread-safe.
@usableFromInline
package final class ChangeInbox: Sendable {
  /// Schedules the context's processing of the inbox in its isolation. Returns false if its executor is gone.
  package typealias Call = @Sendable () -> Bool

  private struct State {
    var news = RemoteChanges()
    var call: Call?
    /// Whether processing is scheduled and has not started.
    var isCalled = false
  }

  private let state = Lock(State())
  @usableFromInline let isFull = Atomic<Bool>(false)
  private let hasCall = Atomic<Bool>(false)

  package init() {}

  /// Whether the inbox has changes.
  @inlinable package var hasNews: Bool { isFull.load(ordering: .acquiring) }

  /// Whether a change does not name its rows.
  package var meansAll: Bool { state.withLock { $0.news.meansAll } }

  /// Returns unprocessed changes. Schedules nothing: the next operation retries.
  package func putBack(_ news: RemoteChanges) {
    state.withLock { state in
      state.news.merge(news)
      isFull.store(true, ordering: .releasing)
    }
  }

  /// Adds changes, and schedules their processing if the context can be called.
  package func receive(_ news: RemoteChanges) {
    let call = state.withLock { state -> Call? in
      state.news.merge(news)
      isFull.store(true, ordering: .releasing)
      guard !state.isCalled, let call = state.call else { return nil }
      state.isCalled = true
      return call
    }
    guard let call, !call() else { return }
    state.withLock { state in
      state.call = nil
      state.isCalled = false
      hasCall.store(false, ordering: .relaxed)
    }
  }

  /// Whether the context can be called.
  package var isLive: Bool { hasCall.load(ordering: .relaxed) }

  /// Schedules the context's work between operations, without new changes.
  package func ask() {
    let call = state.withLock { $0.call }
    _ = call?()
  }

  /// Removes and returns all changes.
  package func take() -> RemoteChanges {
    state.withLock { state in
      defer { state.news = RemoteChanges() }
      state.isCalled = false
      isFull.store(false, ordering: .releasing)
      return state.news
    }
  }

  // MARK: Calling the context

  /// Sets the function that schedules the processing.
  package func live(_ call: @escaping Call) {
    state.withLock { state in
      guard state.call == nil else { return }
      state.call = call
      hasCall.store(true, ordering: .relaxed)
    }
  }
}

import PersistenceSupport
import Synchronization

/// Where a context finds what others saved. Others put it there; only the context takes it out, between operations.
@usableFromInline
package final class ChangeInbox: Sendable {
  /// Asks the context to look, where its code runs. False when there is no such place any more.
  package typealias Call = @Sendable () -> Bool

  private struct State {
    var news = RemoteChanges()
    var call: Call?
    /// Whether the context has been asked to look and has not done it yet.
    var isCalled = false
  }

  private let state = Lock(State())
  @usableFromInline let isFull = Atomic<Bool>(false)
  private let hasPlace = Atomic<Bool>(false)

  package init() {}

  /// Whether there is anything to take out.
  @inlinable package var hasNews: Bool { isFull.load(ordering: .acquiring) }

  /// Whether there is something in it that does not say which rows it means.
  package var meansAll: Bool { state.withLock { $0.news.meansAll } }

  /// Puts back what could not be taken in. Nobody is asked to look: it is tried again with the next operation.
  package func putBack(_ news: RemoteChanges) {
    state.withLock { state in
      state.news.merge(news)
      isFull.store(true, ordering: .releasing)
    }
  }

  /// Puts something in, and asks the context to look if it has a place where its code runs.
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
      hasPlace.store(false, ordering: .relaxed)
    }
  }

  /// Whether it is known how the context is asked to look.
  package var isLive: Bool { hasPlace.load(ordering: .relaxed) }

  /// Asks the context to do what it does between operations, without anything new.
  package func ask() {
    let call = state.withLock { $0.call }
    _ = call?()
  }

  /// Takes everything out.
  package func take() -> RemoteChanges {
    state.withLock { state in
      defer { state.news = RemoteChanges() }
      state.isCalled = false
      isFull.store(false, ordering: .releasing)
      return state.news
    }
  }

  // MARK: The place of the context

  /// Notes how the context is asked to look.
  package func live(_ call: @escaping Call) {
    state.withLock { state in
      guard state.call == nil else { return }
      state.call = call
      hasPlace.store(true, ordering: .relaxed)
    }
  }
}

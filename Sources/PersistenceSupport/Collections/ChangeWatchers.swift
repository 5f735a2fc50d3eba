import Synchronization

/// Something that is told of the commits of a store: a live query. Thread-safe.
package protocol ChangeWatcher: AnyObject, Sendable {
  /// The changes that concern it.
  var footprint: Footprint { get }
  /// Whether it asks for the keys of the rows.
  var wantsKeys: Bool { get }
  /// Notes that a commit touches the footprint. It is called by the thread that commits, which it must not hold up.
  func receive(_ changes: CommittedChanges)
  /// Notes that the store is closed. Nothing follows.
  func close()
}

/// What watches the commits of a store. Thread-safe.
package final class ChangeWatchers: Sendable {
  private struct State {
    var watchers: [ObjectIdentifier: any ChangeWatcher] = [:]
    var isClosed = false
  }

  private let state = Lock(State())
  private let count = Atomic<Int>(0)

  package init() {}

  /// Whether nothing watches. What begins to watch after this call reads all commits made before it.
  package var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

  /// Whether a commit would be told to anyone: false without watchers, and once the store is closed.
  package var areListening: Bool { !isEmpty && state.withLock { !$0.isClosed } }

  /// Whether a watcher asks for the keys of the rows of a class.
  package func wantsKeys(of type: ObjectIdentifier) -> Bool {
    state.withLock { state in
      state.watchers.values.contains { $0.wantsKeys && $0.footprint.includesRows(of: type) }
    }
  }

  /// Notifies the watchers whose footprint a commit touches.
  package func notify(_ changes: @autoclosure () -> CommittedChanges) {
    guard !isEmpty else { return }
    let changes = changes()
    guard !changes.isEmpty else { return }
    let concerned = state.withLock { $0.watchers.values.filter { $0.footprint.overlaps(changes) } }
    // Without the lock: a watcher may stop watching meanwhile.
    for watcher in concerned { watcher.receive(changes) }
  }

  /// Notifies all watchers that the store is closed, also those that are added later.
  package func close() {
    let all = state.withLock { state in
      state.isClosed = true
      return Array(state.watchers.values)
    }
    for watcher in all { watcher.close() }
  }

  /// Adds a watcher. Returns whether it is the first.
  package func add(_ watcher: any ChangeWatcher) -> Bool {
    let (isFirst, isClosed) = state.withLock { state in
      state.watchers[ObjectIdentifier(watcher)] = watcher
      count.store(state.watchers.count, ordering: .sequentiallyConsistent)
      return (state.watchers.count == 1, state.isClosed)
    }
    if isClosed { watcher.close() }
    return isFirst && !isClosed
  }

  package func remove(_ watcher: any ChangeWatcher) {
    let removed = state.withLock { state in
      defer { count.store(state.watchers.count, ordering: .sequentiallyConsistent) }
      return state.watchers.removeValue(forKey: ObjectIdentifier(watcher))
    }
    withExtendedLifetime(removed) {}
  }
}

/// The live queries that count the unsaved changes of a context (decision 68). Confined to the context.
package protocol ContextWatching: AnyObject {
  /// Notes a change of a property. Called while changes are recorded, before the change is made.
  func noteChange(_ mask: UInt64, of type: ObjectIdentifier)
  /// Notes objects that were inserted or deleted, or whose insertion or deletion was taken back.
  func noteRows(of type: ObjectIdentifier)
  /// Notes that any object may have changed.
  func noteEverything()
  /// Publishes what is different. It runs between two operations, never during a save or a transaction.
  func takeTurn()
}

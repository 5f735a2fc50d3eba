import PersistenceContext
import PersistenceRuntime
import PersistenceSupport
import Synchronization

/// Records that a commit, on any thread, may have changed the results of a live query. Thread-safe.
///
/// The store retains this object until ``end()``, so the object must not retain the live query.
final class ObservedChanges: ChangeWatcher {
  private let store: StoreCoordinator
  private let inbox: ChangeInbox
  private let storedFootprint: Lock<Footprint>
  private let isStale = Atomic<Bool>(false)
  /// While this value exists, setters of models report each change to their context.
  private let recording = ChangeRecording()

  /// - Parameters:
  ///   - footprint: The entities and properties whose changes may change the results.
  ///   - context: The context of the live query. It is notified when a commit may have changed the results.
  ///   - store: The store that contains the rows of the results.
  init(_ footprint: Footprint, of context: ModelContext, in store: StoreCoordinator) {
    storedFootprint = Lock(footprint)
    inbox = context.inbox
    self.store = store
    store.add(self)
  }

  func end() { store.remove(self) }

  var footprint: Footprint {
    get { storedFootprint.withLock { $0 } }
    set { storedFootprint.withLock { $0 = newValue } }
  }

  var wantsKeys: Bool { false }

  var hasNews: Bool { isStale.load(ordering: .acquiring) }

  func takeNews() { isStale.store(false, ordering: .sequentiallyConsistent) }

  func receive(_ changes: CommittedChanges) {
    // Notifies the context only of the first commit. Further commits need no notification until the fetch runs again.
    guard !isStale.exchange(true, ordering: .sequentiallyConsistent) else { return }
    inbox.receive(RemoteChanges())
  }

  func close() {}
}

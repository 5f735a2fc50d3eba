import PersistenceContext
import PersistenceRuntime
import PersistenceSupport
import Synchronization

/// Records, from any thread, that a commit may have changed the results of an observer. Thread-safe.
///
/// The store retains this object until the observer ends, so this object has no reference to the observer.
final class ObservedChanges: ChangeWatcher {
  private let store: StoreCoordinator
  private let inbox: ChangeInbox
  private let storedFootprint: Lock<Footprint>
  private let isStale = Atomic<Bool>(false)
  /// While this value exists, setters of models report each change to their context.
  private let recording = ChangeRecording()

  /// - Parameter store: The store of the results.
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
    // The context is called once for any number of commits.
    guard !isStale.exchange(true, ordering: .sequentiallyConsistent) else { return }
    inbox.receive(RemoteChanges())
  }

  func close() {}
}

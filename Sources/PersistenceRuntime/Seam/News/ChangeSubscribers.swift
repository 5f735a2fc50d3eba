import PersistenceSupport
import Synchronization

/// The contexts that are notified of saves to a store. Thread-safe.
package final class ChangeSubscribers: Sendable {
  private let inboxes = Lock<[ObjectIdentifier: ChangeInbox]>([:])
  private let count = Atomic<Int>(0)

  package func add(_ inbox: ChangeInbox) {
    inboxes.withLock { inboxes in
      inboxes[ObjectIdentifier(inbox)] = inbox
      count.store(inboxes.count, ordering: .sequentiallyConsistent)
    }
  }

  package func remove(_ inbox: ChangeInbox) {
    inboxes.withLock { inboxes in
      inboxes[ObjectIdentifier(inbox)] = nil
      count.store(inboxes.count, ordering: .relaxed)
    }
  }

  /// Whether a save has other subscribers to notify. A context that subscribes after this call knows all commits made
  /// before it.
  package var areSeveral: Bool { count.load(ordering: .sequentiallyConsistent) > 1 }

  /// Notifies all subscribers but the sender. Insertions alone are no change: a thousand inserting actors notify no
  /// one.
  package func notify(_ news: RemoteChanges, from sender: ChangeInbox?) {
    guard !news.isEmpty else { return }
    let others = inboxes.withLock { $0.values.filter { $0 !== sender } }
    for inbox in others { inbox.receive(news) }
  }
}

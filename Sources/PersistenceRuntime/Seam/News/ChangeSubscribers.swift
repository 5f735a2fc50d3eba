import PersistenceSupport
import Synchronization

/// The contexts that want to know what is saved to a store.
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

  /// Whether anybody but the one who saves would hear of it. Whoever subscribes after this was asked knows the commits that
  /// had been made.
  package var areSeveral: Bool { count.load(ordering: .sequentiallyConsistent) > 1 }

  /// Tells everybody but the one who saved. New rows alone are no news: a thousand actors that insert wake nobody.
  package func notify(_ news: RemoteChanges, from sender: ChangeInbox?) {
    guard !news.isEmpty else { return }
    let others = inboxes.withLock { $0.values.filter { $0 !== sender } }
    for inbox in others { inbox.receive(news) }
  }
}

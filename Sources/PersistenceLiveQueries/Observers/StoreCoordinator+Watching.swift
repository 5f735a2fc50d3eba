import Dispatch
import PersistenceRuntime
import PersistenceSupport
import Synchronization

// While an open store has watchers (live queries), the library regularly checks for commits of other processes.

extension StoreCoordinator {
  /// The time between two checks. A live query must notice a commit of another process within 100 ms.
  private static let interval: DispatchTimeInterval = .milliseconds(40)

  /// Adds a watcher, which is notified of every commit that ends after this call.
  package func add(_ watcher: any ChangeWatcher) {
    if watchers.add(watcher), engine.hasForeignCommits { beginLooking() }
  }

  package func remove(_ watcher: any ChangeWatcher) { watchers.remove(watcher) }

  /// Whether the library is checking regularly for commits of other processes.
  package var looksForForeignCommits: Bool { isLooking.load(ordering: .relaxed) }

  private func beginLooking() {
    // Only one sequence of checks runs at a time, so nothing is started if `isLooking` is already true.
    guard !isLooking.exchange(true, ordering: .acquiringAndReleasing) else { return }
    look()
  }

  private func lookLater() {
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.look() }
  }

  private func look() {
    // The checks end if the store has no watchers, or is closed. A closed store reports no commits to its watchers.
    guard watchers.areListening else {
      isLooking.store(false, ordering: .sequentiallyConsistent)
      // A watcher that was added just before saw `isLooking` as true and started no checks, so they start here.
      if watchers.areListening { beginLooking() }
      return
    }
    engine.lookForForeignCommits()
    _ = announceForeignChanges()
    lookLater()
  }
}

import Dispatch
import PersistenceRuntime
import PersistenceSupport
import Synchronization

// Commits of other processes are looked for while something watches an open store, and at no other time.

extension StoreCoordinator {
  /// The time between two checks. It is well below the 100 ms within which a live query has to notice a commit.
  private static let interval: DispatchTimeInterval = .milliseconds(40)

  /// Adds a watcher. It gets every commit that ends after this call.
  package func add(_ watcher: any ChangeWatcher) {
    if watchers.add(watcher), engine.hasForeignCommits { beginLooking() }
  }

  package func remove(_ watcher: any ChangeWatcher) { watchers.remove(watcher) }

  /// Whether commits of other processes are looked for.
  package var looksForForeignCommits: Bool { isLooking.load(ordering: .relaxed) }

  private func beginLooking() {
    // One chain of calls at a time: one that is about to find no watcher continues instead.
    guard !isLooking.exchange(true, ordering: .acquiringAndReleasing) else { return }
    look()
  }

  private func lookLater() {
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.look() }
  }

  private func look() {
    // Watchers of a closed store may stay: nothing is found for them any more.
    guard watchers.areListening else {
      isLooking.store(false, ordering: .sequentiallyConsistent)
      // A watcher that was added in between has found a chain.
      if watchers.areListening { beginLooking() }
      return
    }
    engine.lookForForeignCommits()
    _ = announceForeignChanges()
    lookLater()
  }
}

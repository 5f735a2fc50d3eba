import Dispatch
import PersistenceRuntime
import PersistenceSupport
import Synchronization

// Commits of other processes are looked for only while an open store has watchers.

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
    // Only one chain of calls runs: a chain that is about to end without a watcher continues instead.
    guard !isLooking.exchange(true, ordering: .acquiringAndReleasing) else { return }
    look()
  }

  private func lookLater() {
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.look() }
  }

  private func look() {
    // Watchers of a closed store may remain, but nothing is found for them any more.
    guard watchers.areListening else {
      isLooking.store(false, ordering: .sequentiallyConsistent)
      // A watcher that was added in between did not begin a chain, because one was running.
      if watchers.areListening { beginLooking() }
      return
    }
    engine.lookForForeignCommits()
    _ = announceForeignChanges()
    lookLater()
  }
}

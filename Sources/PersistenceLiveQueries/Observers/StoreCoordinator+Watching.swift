import Dispatch
import PersistenceRuntime
import PersistenceSupport
import Synchronization

// The library looks for commits of other processes only while an open store has watchers.

extension StoreCoordinator {
  /// The time between two checks. It is well below the 100 ms within which a live query has to notice a commit.
  private static let interval: DispatchTimeInterval = .milliseconds(40)

  /// Adds a watcher, which then receives every commit that ends after this call.
  package func add(_ watcher: any ChangeWatcher) {
    if watchers.add(watcher), engine.hasForeignCommits { beginLooking() }
  }

  package func remove(_ watcher: any ChangeWatcher) { watchers.remove(watcher) }

  /// Whether the library looks for commits of other processes.
  package var looksForForeignCommits: Bool { isLooking.load(ordering: .relaxed) }

  private func beginLooking() {
    // Only one chain of calls runs. A chain that was about to end because there was no watcher continues.
    guard !isLooking.exchange(true, ordering: .acquiringAndReleasing) else { return }
    look()
  }

  private func lookLater() {
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.look() }
  }

  private func look() {
    // A closed store may still have watchers, but no commits are reported to them.
    guard watchers.areListening else {
      isLooking.store(false, ordering: .sequentiallyConsistent)
      // If a watcher was added in between, it did not begin a chain, because this one was still running.
      if watchers.areListening { beginLooking() }
      return
    }
    engine.lookForForeignCommits()
    _ = announceForeignChanges()
    lookLater()
  }
}

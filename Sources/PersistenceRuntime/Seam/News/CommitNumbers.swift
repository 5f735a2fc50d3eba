import Synchronization

/// Numbers the commits of a store's contexts that change or delete rows (decision 45). Thread-safe.
///
/// A context that has processed the changes of every number up to the last has no outdated values. Insertions alone
/// cannot outdate a value, and get no number.
package final class CommitCounter: Sendable {
  private let lastBegun = Atomic<Int64>(0)
  private let lastEnded = Atomic<Int64>(0)

  /// Returns the number of the next commit. Call it only within the store's write transaction, so that numbers are in
  /// the order of the commits.
  package func begin() -> Int64 { lastBegun.add(1, ordering: .acquiringAndReleasing).newValue }

  /// Marks a commit as complete or failed, before others are notified.
  package func end(_ number: Int64) { lastEnded.max(number, ordering: .sequentiallyConsistent) }

  /// The number of the last commit that was begun. Within a transaction all others are complete.
  package var latest: Int64 { lastBegun.load(ordering: .acquiring) }

  /// A number up to which all commits are complete; a context that subscribed before is notified of later ones.
  package var settled: Int64 { lastEnded.load(ordering: .sequentiallyConsistent) }
}

/// A set of commit numbers, as ranges: notifications may arrive out of order.
package struct CommitNumbers: Sendable, Equatable {
  private(set) var ranges: [ClosedRange<Int64>] = []

  init() {}

  /// All numbers up to one.
  package init(through last: Int64) { ranges = [0...last] }

  /// Whether all numbers up to one are in the set.
  package func isComplete(through last: Int64) -> Bool {
    last == 0 || ranges.first.map { $0.lowerBound <= 1 && $0.upperBound >= last } ?? false
  }

  package mutating func insert(_ number: Int64) { insert(number...number) }

  mutating func formUnion(_ other: CommitNumbers) {
    for range in other.ranges { insert(range) }
  }

  /// Searches backwards, because most ranges continue the last one.
  private mutating func insert(_ range: ClosedRange<Int64>) {
    var merged = range
    var candidate = ranges.count
    while candidate > 0, ranges[candidate - 1].upperBound &+ 1 >= merged.lowerBound {
      let other = ranges[candidate - 1]
      candidate -= 1
      guard other.lowerBound <= merged.upperBound &+ 1 else { continue }
      merged = min(other.lowerBound, merged.lowerBound)...max(other.upperBound, merged.upperBound)
      ranges.remove(at: candidate)
    }
    let index = ranges.firstIndex { $0.lowerBound > merged.lowerBound } ?? ranges.count
    ranges.insert(merged, at: index)
  }
}

/// The commits of a store that a context knows.
package struct StoreReach: Sendable, Equatable {
  package var commits: CommitNumbers
  /// The foreign change count that the context knows.
  package var foreignChanges: Int64

  package init(commits: CommitNumbers = CommitNumbers(), foreignChanges: Int64 = -1) {
    self.commits = commits
    self.foreignChanges = foreignChanges
  }

  package mutating func formUnion(_ other: StoreReach) {
    commits.formUnion(other.commits)
    foreignChanges = max(foreignChanges, other.foreignChanges)
  }
}

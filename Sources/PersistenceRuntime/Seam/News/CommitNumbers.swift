import Synchronization

/// Numbers the commits that contexts make to a store, as far as they change or delete rows.
///
/// A context that has heard of every number up to the last one, and taken in what it heard, has read nothing that is
/// out of date. New rows alone are nothing that anybody could have read, and have no number.
package final class CommitCounter: Sendable {
  private let lastBegun = Atomic<Int64>(0)
  private let lastEnded = Atomic<Int64>(0)

  /// The number of the commit that comes next. Only for whoever has the store's one transaction, so that numbers are in
  /// the order of the commits.
  package func begin() -> Int64 { lastBegun.add(1, ordering: .acquiringAndReleasing).newValue }

  /// Notes that a commit was made or has failed, before others are told of it.
  package func end(_ number: Int64) { lastEnded.max(number, ordering: .sequentiallyConsistent) }

  /// The last commit that was begun. While a transaction is open all others are made.
  package var latest: Int64 { lastBegun.load(ordering: .acquiring) }

  /// A number up to which all commits are made, for whoever has subscribed before: of any later one he is told.
  package var settled: Int64 { lastEnded.load(ordering: .sequentiallyConsistent) }
}

/// Which commits to a store are known, as ranges of their numbers: news may overtake each other.
package struct CommitNumbers: Sendable, Equatable {
  private(set) var ranges: [ClosedRange<Int64>] = []

  init() {}

  /// All numbers up to one.
  package init(through last: Int64) { ranges = [0...last] }

  /// Whether no number up to one is missing.
  package func isComplete(through last: Int64) -> Bool {
    last == 0 || ranges.first.map { $0.lowerBound <= 1 && $0.upperBound >= last } ?? false
  }

  package mutating func insert(_ number: Int64) { insert(number...number) }

  mutating func formUnion(_ other: CommitNumbers) {
    for range in other.ranges { insert(range) }
  }

  /// Most ranges continue the last one.
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

/// How far a context knows what others did to a store.
package struct StoreReach: Sendable, Equatable {
  package var commits: CommitNumbers
  /// How often commits of other processes had been noticed.
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

import Synchronization

/// Numbers the commits of a store's contexts that change or delete rows (decision 45). Thread-safe.
///
/// A context that has processed the changes of every number up to the last has no outdated values. Insertions alone
/// cannot outdate a value, and get no number.
package final class CommitCounter: Sendable {
  private let lastBegun = Atomic<Int64>(0)
  private let lastSettled = Atomic<Int64>(0)
  /// The numbers that have ended while a lower one had not.
  private let early = Lock<Set<Int64>>([])
  private let earlyCount = Atomic<Int>(0)

  package init() {}

  /// Returns the number of the next commit. Call it within the write transaction, before its commit.
  ///
  /// The numbers of a store with a single writer are in the order of the commits. Those of other stores are not.
  package func begin() -> Int64 { lastBegun.add(1, ordering: .acquiringAndReleasing).newValue }

  /// Marks a commit as complete or failed, before others are notified. Call it once for each number.
  package func end(_ number: Int64) {
    let isNext = lastSettled.compareExchange(
      expected: number - 1, desired: number, ordering: .sequentiallyConsistent
    ).exchanged
    // In this order: a thread that ends a higher number counts it before it reads which one has settled.
    guard !isNext || earlyCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
    endOutOfOrder(number)
  }

  private func endOutOfOrder(_ number: Int64) {
    early.withLock { numbers in
      if number > settled {
        numbers.insert(number)
        earlyCount.store(numbers.count, ordering: .sequentiallyConsistent)
      }
      // Only this code can settle a number of the set.
      var next = settled + 1
      while numbers.remove(next) != nil {
        lastSettled.store(next, ordering: .sequentiallyConsistent)
        next += 1
      }
      earlyCount.store(numbers.count, ordering: .sequentiallyConsistent)
    }
  }

  /// The number of the last commit that was begun. Within a transaction of a single writer all others are complete.
  package var latest: Int64 { lastBegun.load(ordering: .acquiring) }

  /// The greatest number up to which all commits are complete.
  package var settled: Int64 { lastSettled.load(ordering: .sequentiallyConsistent) }

  /// The complete commits; a context that subscribed before is notified of all others.
  package var ended: CommitNumbers {
    guard earlyCount.load(ordering: .sequentiallyConsistent) > 0 else { return CommitNumbers(through: settled) }
    return early.withLock { numbers in
      var ended = CommitNumbers(through: settled)
      for number in numbers.sorted() { ended.insert(number) }
      return ended
    }
  }
}

/// A set of commit numbers, as spans: notifications may arrive out of order.
package struct CommitNumbers: Sendable, Equatable {
  /// All numbers from the first to the last. Not a `ClosedRange`, whose array makes a program look for conformances in its
  /// first save.
  struct Span: Sendable, Equatable {
    let first: Int64
    let last: Int64
  }

  private(set) var spans: [Span] = []

  package init() {}

  /// All numbers up to one.
  package init(through last: Int64) { spans = [Span(first: 0, last: last)] }

  /// Whether all numbers up to one are in the set.
  package func isComplete(through last: Int64) -> Bool {
    last == 0 || spans.first.map { $0.first <= 1 && $0.last >= last } ?? false
  }

  package mutating func insert(_ number: Int64) { insert(Span(first: number, last: number)) }

  package mutating func formUnion(_ other: CommitNumbers) {
    for span in other.spans { insert(span) }
  }

  /// Searches backwards, because most spans continue the last one.
  private mutating func insert(_ span: Span) {
    var merged = span
    var candidate = spans.count
    while candidate > 0, spans[candidate - 1].last &+ 1 >= merged.first {
      let other = spans[candidate - 1]
      candidate -= 1
      guard other.first <= merged.last &+ 1 else { continue }
      merged = Span(first: min(other.first, merged.first), last: max(other.last, merged.last))
      spans.remove(at: candidate)
    }
    let index = spans.firstIndex { $0.first > merged.first } ?? spans.count
    spans.insert(merged, at: index)
  }
}

/// The commits of a store that a context knows.
package struct StoreReach: Sendable, Equatable {
  package var commits: CommitNumbers
  /// The foreign change count that the context knows.
  package var foreignChanges: Int64
  /// The foreign change count after which the changes are known; negative if those before are known too.
  package var foreignStart: Int64

  package init(commits: CommitNumbers = CommitNumbers(), foreignChanges: Int64 = -1, foreignStart: Int64 = -1) {
    self.commits = commits
    self.foreignChanges = foreignChanges
    self.foreignStart = foreignStart
  }

  /// Whether all foreign changes up to a count are known.
  package func isForeignComplete(through count: Int64) -> Bool { foreignStart < 0 && foreignChanges >= count }

  package mutating func formUnion(_ other: StoreReach) {
    commits.formUnion(other.commits)
    guard other.foreignChanges > other.foreignStart else { return }
    let isEmpty = foreignChanges <= foreignStart
    let isAdjacent = max(foreignStart, other.foreignStart) <= min(foreignChanges, other.foreignChanges)
    if !isEmpty, isAdjacent {
      foreignStart = min(foreignStart, other.foreignStart)
      foreignChanges = max(foreignChanges, other.foreignChanges)
    } else if isEmpty || other.foreignStart < foreignStart {
      // Of two ranges with a gap between them, only the first may continue what is known.
      (foreignStart, foreignChanges) = (other.foreignStart, other.foreignChanges)
    }
  }
}

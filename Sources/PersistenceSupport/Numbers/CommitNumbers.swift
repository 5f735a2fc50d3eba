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

/// A set of commit numbers, as ranges: notifications may arrive out of order.
package struct CommitNumbers: Sendable, Equatable {
  private(set) var ranges: [ClosedRange<Int64>] = []

  package init() {}

  /// All numbers up to one.
  package init(through last: Int64) { ranges = [0...last] }

  /// Whether all numbers up to one are in the set.
  package func isComplete(through last: Int64) -> Bool {
    last == 0 || ranges.first.map { $0.lowerBound <= 1 && $0.upperBound >= last } ?? false
  }

  package mutating func insert(_ number: Int64) { insert(number...number) }

  package mutating func formUnion(_ other: CommitNumbers) {
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

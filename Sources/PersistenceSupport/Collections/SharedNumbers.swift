import Synchronization

/// The primary keys of an entity for which identifiers may exist in this process.
///
/// The identifier of a saved object is hashed by its key. An identifier that was created before the object's first save
/// is hashed by a token. Equal identifiers must have equal hashes, so a new object never gets a key for which another
/// identifier may already exist. All `StoreEntity` objects for one entity of a store share this object while any of
/// them exists (decision 48).
@usableFromInline
package final class KnownKeys: Sendable {
  private let name: Name
  /// The greatest key of a row with an identifier. The insertion of the row may have been rolled back since.
  @usableFromInline let greatestRow = Atomic<Int64>(.min)
  /// Whether new keys may be less than ``greatestRow``. An engine with such keys never reuses the key of a row.
  private let keysMayFall = Atomic<Bool>(false)
  /// The keys of decoded identifiers. It is unknown whether the store has rows with these keys.
  private let claims = Lock(ClaimedKeys())

  private init(_ name: Name) {
    self.name = name
  }

  deinit {
    // A newer instance is released after the lock: if this is its last reference, its deinit acquires the lock.
    _ = Self.living.withLock { living -> KnownKeys? in
      guard let index = living.index(forKey: name) else { return nil }
      let successor = living.values[index].keys
      if successor == nil { living.remove(at: index) }
      return successor
    }
  }

  // All atomic accesses are sequentially consistent. If one thread creates an identifier of a row while another thread
  // assigns the row to the token of a new object, at least one of them sees the other's write.

  /// Records that an identifier was created for a row.
  @inlinable
  @inline(__always)
  package func noteRow(_ key: Int64) {
    if key > greatestRow.load(ordering: .sequentiallyConsistent) {
      greatestRow.max(key, ordering: .sequentiallyConsistent)
    }
  }

  /// Records that an identifier with a key was decoded, regardless of whether the store has a row with that key.
  package func noteClaim(_ key: Int64) {
    guard isAhead(key) else { return }
    claims.withLock { $0.insert(key) }
  }

  /// Whether an identifier with the key may exist.
  package func mayBeKnown(_ key: Int64) -> Bool {
    !isAhead(key) || claims.withLock { $0.contains(key) }
  }

  /// True if a new row may get the key: it is above all known keys of rows, or the engine does not assign rising keys.
  private func isAhead(_ key: Int64) -> Bool {
    key > greatestRow.load(ordering: .sequentiallyConsistent) || keysMayFall.load(ordering: .sequentiallyConsistent)
  }

  /// The number of keys that new objects have to skip, because identifiers with these keys may exist.
  ///
  /// - Parameter first: The first key that the store has not used.
  package func keysToSkip(from first: Int64) -> Int64 {
    let seen = Self.count(from: first, through: greatestRow.load(ordering: .sequentiallyConsistent))
    let claimed = claims.withLock { claims -> Int64 in
      guard !claims.isEmpty else { return 0 }
      // A key below `first` belongs to an existing row, or is never assigned.
      claims.drop(below: first)
      return claims.countToSkip(from: first)
    }
    return max(seen, claimed)
  }

  // MARK: Keys that do not rise

  /// Records that the engine may assign a key that is less than an earlier key.
  package func expectFallingKeys() { keysMayFall.store(true, ordering: .sequentiallyConsistent) }

  /// Removes the keys of decoded identifiers from the ranges, and returns the remaining parts.
  package func unknown(in ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    let claims = claims.withLock { $0 }
    return claims.isEmpty ? ranges : ranges.flatMap { claims.unclaimed(in: $0) }
  }

  /// The number of keys that may have to be skipped until a key without an identifier is found.
  package var claimCount: Int { claims.withLock(\.boundedCount) }

  /// The number of keys from `first` through `last`; 0 if there is none, or if there are too many to skip.
  private static func count(from first: Int64, through last: Int64) -> Int64 {
    guard last >= first else { return 0 }
    let (distance, isTooLarge) = last.subtractingReportingOverflow(first)
    return isTooLarge || distance >= ClaimedKeys.mostSkipped ? 0 : distance + 1
  }

  // MARK: One instance for each entity

  private struct Name: Hashable {
    let store: String
    let entity: String
  }

  // The dictionary weakly references this object instead of the entity that owns it. Reference counting is slower for
  // objects that are referenced weakly, and every identifier retains its entity.
  private struct WeakKeys: Sendable {
    weak let keys: KnownKeys?
  }

  private static let living = Lock<[Name: WeakKeys]>([:])

  /// Returns the shared object of an entity.
  package static func of(_ entity: String, in store: String) -> KnownKeys {
    let name = Name(store: store, entity: entity)
    // Changes the dictionary's entry in place, so that the long name is hashed only once.
    return living.withLock { take(&$0[name], of: name) }
  }

  private static func take(_ entry: inout WeakKeys?, of name: Name) -> KnownKeys {
    if let known = entry?.keys { return known }
    let made = KnownKeys(name)
    entry = WeakKeys(keys: made)
    return made
  }
}

/// The keys of decoded identifiers (claimed keys), in bounded memory (decision 48). The store need not have such rows.
///
/// Consecutive keys are stored as one range. If there are too many ranges, those nearest to each other are joined, and
/// the keys between them also count as claimed.
struct ClaimedKeys: Sendable {
  /// The maximum number of ranges, and of keys that are not merged into ranges yet.
  private static let limit = 4_096
  /// A claimed key at least this far away is not skipped yet: new rows first get the keys before it. This limits the
  /// number of keys that claims from untrusted data can waste.
  private static let reach: UInt64 = 1 << 16
  /// The largest number of keys that one save skips.
  static let mostSkipped: Int64 = 1 << 32

  /// Keys that are not merged into ``ranges`` yet.
  private var recent: Set<Int64> = []
  /// The claimed ranges, ascending and disjoint. There is at least one unclaimed key between neighbouring ranges.
  private var ranges: [ClosedRange<Int64>] = []

  var isEmpty: Bool { recent.isEmpty && ranges.isEmpty }

  func contains(_ key: Int64) -> Bool {
    if recent.contains(key) { return true }
    let index = firstIndex(endingAtOrAfter: key)
    return index < ranges.count && ranges[index].contains(key)
  }

  mutating func insert(_ key: Int64) {
    guard !contains(key) else { return }
    recent.insert(key)
    if recent.count >= Self.limit { settle() }
  }

  /// Removes the keys below the first key that the store has not used. New rows do not get such keys.
  mutating func drop(below first: Int64) {
    settle()
    ranges.removeFirst(firstIndex(endingAtOrAfter: first))
    if let range = ranges.first, range.lowerBound < first { ranges[0] = first...range.upperBound }
  }

  /// The number of keys, beginning with `first`, that new objects have to skip so that they get no claimed key.
  ///
  /// If another claimed key follows within a short distance, it is skipped too, with the keys before it.
  mutating func countToSkip(from first: Int64) -> Int64 {
    settle()
    var next = first
    for range in ranges[firstIndex(endingAtOrAfter: first)...] {
      let gap = range.lowerBound <= next ? 0 : UInt64(bitPattern: range.lowerBound &- next)
      let end = range.upperBound.subtractingReportingOverflow(first)
      // `Int64.max` has no successor.
      guard gap < Self.reach, !end.overflow, end.partialValue < Self.mostSkipped, range.upperBound < .max else { break }
      next = range.upperBound + 1
    }
    return next - first
  }

  /// The number of claimed keys, but at most ``reach``.
  var boundedCount: Int {
    let most = UInt64(Self.reach)
    let count = ranges.reduce(UInt64(recent.count)) { count, range in
      let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
      return count + min(most, span) + 1
    }
    return Int(min(count, most))
  }

  /// The parts of a range that contain no claimed key.
  func unclaimed(in range: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
    var settled = self
    settled.settle()
    var parts: [ClosedRange<Int64>] = []
    var next = range.lowerBound
    for claimed in settled.ranges[settled.firstIndex(endingAtOrAfter: range.lowerBound)...] {
      guard claimed.lowerBound <= range.upperBound else { break }
      if next < claimed.lowerBound { parts.append(next...claimed.lowerBound - 1) }
      guard claimed.upperBound < range.upperBound else { return parts }
      next = claimed.upperBound + 1
    }
    parts.append(next...range.upperBound)
    return parts
  }

  // MARK: Ranges

  /// The index of the first range that does not end before a key.
  private func firstIndex(endingAtOrAfter key: Int64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Merges the recent keys into the ranges.
  private mutating func settle() {
    guard !recent.isEmpty else { return }
    let all = (ranges + recent.map { $0...$0 }).sorted { $0.lowerBound < $1.lowerBound }
    recent = []
    ranges = Self.joined(all) { $0 <= 1 }
    guard ranges.count > Self.limit else { return }
    let distances = zip(ranges, ranges.dropFirst()).map { Self.distance($0, $1) }
    // Joins ranges until their number is half of the limit, so that the next claimed key need not join ranges again.
    let widest = distances.sorted()[ranges.count - Self.limit / 2]
    ranges = Self.joined(ranges) { $0 <= widest }
  }

  private static func distance(_ range: ClosedRange<Int64>, _ next: ClosedRange<Int64>) -> UInt64 {
    UInt64(bitPattern: next.lowerBound &- range.upperBound)
  }

  /// Joins neighbours in a list of ascending ranges if the closure returns true for their distance.
  private static func joined(
    _ ranges: [ClosedRange<Int64>], _ areNear: (UInt64) -> Bool
  ) -> [ClosedRange<Int64>] {
    var result: [ClosedRange<Int64>] = []
    result.reserveCapacity(ranges.count)
    for range in ranges {
      if let last = result.last, areNear(distance(last, range)) {
        result[result.count - 1] = last.lowerBound...range.upperBound
      } else {
        result.append(range)
      }
    }
    return result
  }
}

/// The keys that engines assign to rows.
package enum EngineKeys {
  /// The greatest key of an engine whose keys do not rise. A `Double` represents it exactly: a key may be the position
  /// of a model in a list, and positions are `Double` values.
  package static let greatest: Int64 = 1 << 53 - 1
}

/// Numbers the commits of a store's contexts that change or delete rows (decision 45). Thread-safe.
///
/// If a context has processed all commits up to the last number, none of its values is outdated. A commit that only
/// inserts rows gets no number, because it cannot make a value outdated.
package final class CommitCounter: Sendable {
  private let lastBegun = Atomic<Int64>(0)
  private let lastSettled = Atomic<Int64>(0)
  /// The numbers of commits that have ended although a commit with a lower number has not.
  private let early = Lock<Set<Int64>>([])
  private let earlyCount = Atomic<Int>(0)

  package init() {}

  /// Returns the number of a commit. Call it in the write transaction, before the transaction commits.
  ///
  /// If the store has a single writer, the numbers have the order of the commits. In other stores, they may not.
  package func begin() -> Int64 { lastBegun.add(1, ordering: .acquiringAndReleasing).newValue }

  /// Records that a commit has completed or failed. Call it once for each number, before live queries are notified.
  package func end(_ number: Int64) {
    let isNext = lastSettled.compareExchange(
      expected: number - 1, desired: number, ordering: .sequentiallyConsistent
    ).exchanged
    // This load must follow the exchange: a thread with a higher number sets `earlyCount` before it reads ``settled``.
    guard !isNext || earlyCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
    endOutOfOrder(number)
  }

  private func endOutOfOrder(_ number: Int64) {
    early.withLock { numbers in
      if number > settled {
        numbers.insert(number)
        earlyCount.store(numbers.count, ordering: .sequentiallyConsistent)
      }
      // ``settled`` moves past the numbers in the set only here.
      var next = settled + 1
      while numbers.remove(next) != nil {
        lastSettled.store(next, ordering: .sequentiallyConsistent)
        next += 1
      }
      earlyCount.store(numbers.count, ordering: .sequentiallyConsistent)
    }
  }

  /// The number of the last commit that was begun. If the only writer of a store calls this in its transaction, all
  /// other commits have ended.
  package var latest: Int64 { lastBegun.load(ordering: .acquiring) }

  /// The greatest number such that all commits up to and including this number have ended.
  package var settled: Int64 { lastSettled.load(ordering: .sequentiallyConsistent) }

  /// The commits that have ended. A context that subscribed before this call is notified of all others.
  package var ended: CommitNumbers {
    guard earlyCount.load(ordering: .sequentiallyConsistent) > 0 else { return CommitNumbers(through: settled) }
    return early.withLock { numbers in
      var ended = CommitNumbers(through: settled)
      for number in numbers.sorted() { ended.insert(number) }
      return ended
    }
  }
}

/// A set of commit numbers, stored as spans. Notifications may arrive out of order, so there may be gaps.
package struct CommitNumbers: Sendable, Equatable {
  /// The numbers from the first to the last. Not a `ClosedRange`, because an array of ranges makes a program look up
  /// protocol conformances in its first save.
  struct Span: Sendable, Equatable {
    let first: Int64
    let last: Int64
  }

  private(set) var spans: [Span] = []

  package init() {}

  /// Creates the set of all numbers up to the given one.
  package init(through last: Int64) { spans = [Span(first: 0, last: last)] }

  /// Whether all numbers up to the given one are in the set.
  package func isComplete(through last: Int64) -> Bool {
    last == 0 || spans.first.map { $0.first <= 1 && $0.last >= last } ?? false
  }

  package mutating func insert(_ number: Int64) { insert(Span(first: number, last: number)) }

  package mutating func formUnion(_ other: CommitNumbers) {
    for span in other.spans { insert(span) }
  }

  /// Searches from the end, because a new span usually continues the last one.
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

/// The commits of a store that a context has processed: those of this process and those of other processes.
package struct StoreReach: Sendable, Equatable {
  package var commits: CommitNumbers
  /// The context has processed the changes of other processes up to this value of their change count.
  package var foreignChanges: Int64
  /// The context has processed the changes of other processes that came after this value of their change count. The
  /// value is negative if the context has also processed all earlier changes.
  package var foreignStart: Int64

  package init(commits: CommitNumbers = CommitNumbers(), foreignChanges: Int64 = -1, foreignStart: Int64 = -1) {
    self.commits = commits
    self.foreignChanges = foreignChanges
    self.foreignStart = foreignStart
  }

  /// Whether the context has processed all changes of other processes up to a value of their change count.
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
      // There is a gap between the two ranges. The earlier one is kept: only it can directly follow processed changes.
      (foreignStart, foreignChanges) = (other.foreignStart, other.foreignChanges)
    }
  }
}

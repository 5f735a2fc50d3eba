import Synchronization

/// The keys of an entity for which this process has created identifiers.
///
/// Such an identifier hashes by the key; one created before the first save hashes by its token. So no new object with
/// an early identifier gets a key that may be known. All references to one entity of a store share the object while
/// any exists (decision 48).
@usableFromInline
package final class KnownKeys: Sendable {
  private let name: Name
  /// The greatest key of an identifier created for a row. The row may have been rolled back since.
  @usableFromInline let greatestRow = Atomic<Int64>(.min)
  /// Whether new keys may be less than ``greatestRow``. Their engine never hands out the key of a row again.
  private let keysMayFall = Atomic<Bool>(false)
  /// Keys of decoded identifiers, whose rows may not exist.
  private let claims = Lock(ClaimedKeys())

  private init(_ name: Name) {
    self.name = name
  }

  deinit {
    // Released after the lock: releasing the last reference under it would deadlock.
    _ = Self.living.withLock { living -> KnownKeys? in
      guard let index = living.index(forKey: name) else { return nil }
      let successor = living.values[index].keys
      if successor == nil { living.remove(at: index) }
      return successor
    }
  }

  // Sequentially consistent: if one thread creates an identifier of a row while another resolves a token to it, at
  // least one of them sees the other.

  /// Records an identifier of a row.
  @inlinable
  @inline(__always)
  package func noteRow(_ key: Int64) {
    if key > greatestRow.load(ordering: .sequentiallyConsistent) {
      greatestRow.max(key, ordering: .sequentiallyConsistent)
    }
  }

  /// Records an identifier whose row may not exist.
  package func noteClaim(_ key: Int64) {
    guard isAhead(key) else { return }
    claims.withLock { $0.insert(key) }
  }

  /// Whether an identifier of the key may exist.
  package func mayBeKnown(_ key: Int64) -> Bool {
    !isAhead(key) || claims.withLock { $0.contains(key) }
  }

  /// Whether a new row may get a key, by what is known of existing rows.
  private func isAhead(_ key: Int64) -> Bool {
    key > greatestRow.load(ordering: .sequentiallyConsistent) || keysMayFall.load(ordering: .sequentiallyConsistent)
  }

  /// How many keys new objects must skip so that no identifier of theirs exists.
  ///
  /// - Parameter first: The first key that the store has not used.
  package func keysToSkip(from first: Int64) -> Int64 {
    let seen = Self.count(from: first, through: greatestRow.load(ordering: .sequentiallyConsistent))
    let claimed = claims.withLock { claims -> Int64 in
      guard !claims.isEmpty else { return 0 }
      // Smaller keys belong to existing rows, or to rows that will never exist.
      claims.drop(below: first)
      return claims.countToSkip(from: first)
    }
    return max(seen, claimed)
  }

  // MARK: Keys that do not rise

  /// Notes that a later key may be less than an earlier one.
  package func expectFallingKeys() { keysMayFall.store(true, ordering: .sequentiallyConsistent) }

  /// The keys in some ranges of which no identifier exists.
  package func unknown(in ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    let claims = claims.withLock { $0 }
    return claims.isEmpty ? ranges : ranges.flatMap { claims.unclaimed(in: $0) }
  }

  /// How many keys may have to be left out before one comes of which no identifier exists.
  package var claimCount: Int { claims.withLock(\.boundedCount) }

  /// The number of keys in a closed range; 0 if it is empty or too large to be skipped.
  private static func count(from first: Int64, through last: Int64) -> Int64 {
    guard last >= first else { return 0 }
    let (distance, isTooLarge) = last.subtractingReportingOverflow(first)
    return isTooLarge || distance >= ClaimedKeys.mostSkipped ? 0 : distance + 1
  }

  // MARK: One for each entity

  private struct Name: Hashable {
    let store: String
    let entity: String
  }

  // Weak here and not in what holds it: reference counting of weakly referenced objects is slower, and every identifier
  // retains its entity.
  private struct WeakKeys: Sendable {
    weak let keys: KnownKeys?
  }

  private static let living = Lock<[Name: WeakKeys]>([:])

  /// The shared instance of an entity.
  package static func of(_ entity: String, in store: String) -> KnownKeys {
    let name = Name(store: store, entity: entity)
    // In the place of the entry: a name is long, and hashed once.
    return living.withLock { take(&$0[name], of: name) }
  }

  private static func take(_ entry: inout WeakKeys?, of name: Name) -> KnownKeys {
    if let known = entry?.keys { return known }
    let made = KnownKeys(name)
    entry = WeakKeys(keys: made)
    return made
  }
}

/// Keys of decoded identifiers, whose rows may not exist, in bounded memory (decision 48).
///
/// Keys that follow each other take one place. Of more places than the limit, those nearest to each other become one, and
/// every key between them counts as claimed.
struct ClaimedKeys: Sendable {
  /// The number of places, and of keys that have none yet.
  private static let limit = 4_096
  /// The largest gap between claims that new keys skip: a claim may come from untrusted data.
  private static let reach: UInt64 = 1 << 16
  /// The largest number of keys that one save skips.
  static let mostSkipped: Int64 = 1 << 32

  /// Keys that are not in ``ranges`` yet.
  private var recent: Set<Int64> = []
  /// Ascending, with a gap before each.
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

  /// Drops the keys below one that the store has not used: they belong to rows, or to none for ever.
  mutating func drop(below first: Int64) {
    settle()
    ranges.removeFirst(firstIndex(endingAtOrAfter: first))
    if let range = ranges.first, range.lowerBound < first { ranges[0] = first...range.upperBound }
  }

  /// How many keys from one on new objects must skip, so that they get none of these.
  ///
  /// Skips claims as long as the next one is near.
  mutating func countToSkip(from first: Int64) -> Int64 {
    settle()
    var next = first
    for range in ranges[firstIndex(endingAtOrAfter: first)...] {
      let gap = range.lowerBound <= next ? 0 : UInt64(bitPattern: range.lowerBound &- next)
      let end = range.upperBound.subtractingReportingOverflow(first)
      // There is no key after the greatest number.
      guard gap < Self.reach, !end.overflow, end.partialValue < Self.mostSkipped, range.upperBound < .max else { break }
      next = range.upperBound + 1
    }
    return next - first
  }

  /// The number of these keys, up to a limit.
  var boundedCount: Int {
    let most = UInt64(Self.reach)
    let count = ranges.reduce(UInt64(recent.count)) { count, range in
      let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
      return count + min(most, span) + 1
    }
    return Int(min(count, most))
  }

  /// The parts of a range without these keys.
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

  /// Takes the recent keys into the ranges.
  private mutating func settle() {
    guard !recent.isEmpty else { return }
    let all = (ranges + recent.map { $0...$0 }).sorted { $0.lowerBound < $1.lowerBound }
    recent = []
    ranges = Self.joined(all) { $0 <= 1 }
    guard ranges.count > Self.limit else { return }
    let distances = zip(ranges, ranges.dropFirst()).map { Self.distance($0, $1) }
    // Half of the limit, so that the next claim is not the next reason to sort.
    let widest = distances.sorted()[ranges.count - Self.limit / 2]
    ranges = Self.joined(ranges) { $0 <= widest }
  }

  private static func distance(_ range: ClosedRange<Int64>, _ next: ClosedRange<Int64>) -> UInt64 {
    UInt64(bitPattern: next.lowerBound &- range.upperBound)
  }

  /// Joins ascending ranges that are near each other.
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

/// The keys that engines hand out.
package enum EngineKeys {
  /// The greatest key of an engine whose keys do not rise: as a place in a list, a key is a `Double`.
  package static let greatest: Int64 = 1 << 53 - 1
}

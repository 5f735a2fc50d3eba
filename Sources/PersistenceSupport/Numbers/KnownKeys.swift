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
      let successor = living[name]?.keys
      if successor == nil { living[name] = nil }
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
    return living.withLock { living in
      if let known = living[name]?.keys { return known }
      let made = KnownKeys(name)
      living[name] = WeakKeys(keys: made)
      return made
    }
  }
}

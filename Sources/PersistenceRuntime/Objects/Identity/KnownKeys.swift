import PersistenceSupport
import Synchronization

/// For which keys of an entity of a store identifiers have been made in this process.
///
/// Their hashes come from the key, and an identifier that was made before the first save has another; so no new object that
/// has such a one is given a key of which others are in use. All ``StoreEntity`` of one entity share the object, for as long
/// as there are any.
package final class KnownKeys: Sendable {
  private let name: Name
  /// The greatest key of which an identifier was made as that of a row. The row may have been undone since.
  private let greatestRow = Atomic<Int64>(.min)
  /// What others say about rows that nobody here has seen.
  private let claims = Lock(Claims())

  private struct Claims {
    var keys: Set<Int64> = []
    /// The greatest that there was no room for.
    var greatestOther = Int64.min
  }

  private init(_ name: Name) {
    self.name = name
  }

  deinit {
    // What is looked at here is released after the lock: the last reference to it would take the lock again.
    _ = Self.living.withLock { living -> KnownKeys? in
      let successor = living[name]?.keys
      if successor == nil { living[name] = nil }
      return successor
    }
  }

  /// How many claims are remembered one by one. Those of rows that are there are forgotten with the next save.
  private static let claimLimit = 4_096
  /// How far ahead of the keys that are in use a claim is worth leaving out what is in between: anybody can claim anything.
  private static let claimReach: Int64 = 1 << 16

  // All in one order for all threads: of two that make an identifier of a row and give a token its key, one sees the other.

  /// Notes that there is an identifier of a row.
  @inline(__always)
  func noteRow(_ key: Int64) {
    if key > greatestRow.load(ordering: .sequentiallyConsistent) {
      greatestRow.max(key, ordering: .sequentiallyConsistent)
    }
  }

  /// Notes that there is an identifier of what may be a row.
  func noteClaim(_ key: Int64) {
    guard key > greatestRow.load(ordering: .sequentiallyConsistent) else { return }
    claims.withLock { claims in
      if claims.keys.count < Self.claimLimit {
        claims.keys.insert(key)
      } else if !claims.keys.contains(key) {
        claims.greatestOther = max(claims.greatestOther, key)
      }
    }
  }

  /// Whether an identifier of the key may have been made.
  func mayBeKnown(_ key: Int64) -> Bool {
    key <= greatestRow.load(ordering: .sequentiallyConsistent) || claims.withLock { $0.keys.contains(key) }
  }

  /// How many keys new objects leave out so that nobody has an identifier of theirs.
  ///
  /// - Parameter first: The first key that the store has not used.
  package func keysToSkip(from first: Int64) -> Int64 {
    let seen = Self.distance(from: first, to: greatestRow.load(ordering: .sequentiallyConsistent), limit: 1 << 32)
    let claimed = claims.withLock { claims -> Int64 in
      guard !claims.keys.isEmpty else { return 0 }
      // The others are of rows that were there already, or of some that never will be.
      claims.keys = claims.keys.filter { $0 >= first }
      let all = claims.keys.union([claims.greatestOther])
      if claims.keys.isEmpty { claims.greatestOther = .min }
      return all.reduce(0) { max($0, Self.distance(from: first, to: $1, limit: Self.claimReach)) }
    }
    return max(seen, claimed)
  }

  /// How many keys there are from one to another; 0 when they are too many, or none.
  private static func distance(from first: Int64, to last: Int64, limit: Int64) -> Int64 {
    guard last >= first else { return 0 }
    let (distance, isTooLarge) = last.subtractingReportingOverflow(first)
    return isTooLarge || distance >= limit ? 0 : distance + 1
  }

  // MARK: One for each entity

  private struct Name: Hashable {
    let store: String
    let entity: String
  }

  // Weak here and not in `StoreEntity`: what is referred to weakly is counted more slowly, and each identifier counts one.
  private struct WeakKeys: Sendable {
    weak let keys: KnownKeys?
  }

  private static let living = Lock<[Name: WeakKeys]>([:])

  /// Those of an entity.
  static func of(_ entity: String, in store: String) -> KnownKeys {
    let name = Name(store: store, entity: entity)
    return living.withLock { living in
      if let known = living[name]?.keys { return known }
      let made = KnownKeys(name)
      living[name] = WeakKeys(keys: made)
      return made
    }
  }
}

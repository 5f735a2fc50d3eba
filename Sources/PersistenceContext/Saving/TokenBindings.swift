import PersistenceRuntime
import PersistenceSupport

/// The identifiers of new objects that a save binds to their rows.
///
/// They are bound before the commit. After it, another thread may read a row and get an identifier with another hash.
final class TokenBindings {
  private var waiting: [(object: AnyObject, token: IdentifierToken, map: IdentityMap)] = []
  /// With their stores: a copied file has the identifier of its original.
  private var bound: [(token: IdentifierToken, store: StoreCoordinator)] = []

  /// Adds a new object with an identifier.
  func note(_ object: AnyObject, _ token: IdentifierToken, in map: IdentityMap) {
    waiting.append((object, token, map))
  }

  /// Binds the identifiers of a store's objects, after all of its rows are written.
  ///
  /// - Parameter isAlias: Whether an object became an existing row.
  func bind(in store: StoreCoordinator, isAlias: (AnyObject) -> Bool) {
    for (object, token, map) in waiting where map.store === store {
      let entity = store.storeEntity(of: map.entity)
      guard token.resolve(to: map.key(of: object), of: entity, isAlias: isAlias(object)) else { continue }
      bound.append((token, store))
    }
  }

  /// Unbinds the identifiers of stores that have not committed.
  func undo() {
    for (token, _) in bound where token.row != nil { token.unresolve() }
    waiting.removeAll()
    bound.removeAll()
  }

  /// Makes the bindings of a store final.
  func commit(_ store: StoreCoordinator) {
    waiting.removeAll { $0.map.store === store }
    bound.removeAll { $0.store === store }
  }
}

extension SavedChanges {
  /// Reserves keys for new objects, without keys in identifiers that the program knows.
  func reserveKeys(_ count: Int, for map: IdentityMap, in transaction: any StoreTransaction) throws -> Int64 {
    let first = try transaction.reserveKeys(count, for: map.entity)
    let skipped = map.store.storeEntity(of: map.entity).knownKeys.keysToSkip(from: first)
    guard skipped > 0 else { return first }
    // The reserved keys are among the skipped ones.
    let more = max(0, skipped - Int64(count))
    if more > 0 { _ = try transaction.reserveKeys(Int(more), for: map.entity) }
    return try transaction.reserveKeys(count, for: map.entity)
  }

  /// Takes keys for new objects from an engine whose keys do not rise, without keys in identifiers that the program
  /// knows.
  func takeKeys(_ count: Int, for map: IdentityMap) throws -> [ClosedRange<Int64>] {
    let known = map.store.storeEntity(of: map.entity).knownKeys
    var ranges: [ClosedRange<Int64>] = []
    var missing = count
    func take(_ new: [ClosedRange<Int64>]) {
      ranges += new
      missing -= new.reduce(0) { $0 + $1.count }
    }
    take(known.unknown(in: try engineKeys(count, for: map)))
    if missing > 0 { take(known.unknown(in: try engineKeys(missing + known.claimCount, for: map))) }
    // Too many are known. An early identifier that comes to one of them becomes an alias.
    if missing > 0 { take(try engineKeys(missing, for: map)) }
    return ranges
  }

  private func engineKeys(_ count: Int, for map: IdentityMap) throws -> [ClosedRange<Int64>] {
    let ranges = try map.store.engine.takeKeys(count, for: map.entity)
    let areValid = ranges.allSatisfy { $0.lowerBound > 0 && $0.upperBound <= EngineKeys.greatest }
    guard areValid, ranges.reduce(0, { $0 + $1.count }) >= count else {
      throw SwiftDataError(
        .storeFull,
        "The store at \(map.store.engine.location) has no \(count) primary keys left for \(map.entity.name).")
    }
    return ranges
  }
}

import PersistenceRuntime

/// What a save has told the identities that were handed out before it: the rows of their models.
///
/// They hear of it before the save commits. Afterwards another thread may have read a row, and have an identifier of it with
/// another hash.
final class TokenBindings {
  private var waiting: [(object: AnyObject, token: IdentifierToken, map: IdentityMap)] = []
  /// With their stores: files that were copied have one identifier.
  private var bound: [(token: IdentifierToken, store: StoreCoordinator)] = []

  /// Notes a new object that has an identity.
  func note(_ object: AnyObject, _ token: IdentifierToken, in map: IdentityMap) {
    waiting.append((object, token, map))
  }

  /// Tells the tokens of a store's objects their rows. All of these have been written.
  ///
  /// - Parameter isAlias: Whether an object came to a row that was there before.
  func bind(in store: StoreCoordinator, isAlias: (AnyObject) -> Bool) {
    for (object, token, map) in waiting where map.store === store {
      let entity = store.storeEntity(of: map.entity)
      guard token.resolve(to: map.key(of: object), of: entity, isAlias: isAlias(object)) else { continue }
      bound.append((token, store))
    }
  }

  /// Takes back what was said about a store that has not committed.
  func undo() {
    for (token, _) in bound where token.row != nil { token.unresolve() }
    waiting.removeAll()
    bound.removeAll()
  }

  /// Nothing of a store can be taken back any more.
  func commit(_ store: StoreCoordinator) {
    waiting.removeAll { $0.map.store === store }
    bound.removeAll { $0.store === store }
  }
}

extension SavedChanges {
  /// Sets keys aside for new objects, of which nobody has identifiers.
  func reserveKeys(_ count: Int, for map: IdentityMap, in transaction: any StoreTransaction) throws -> Int64 {
    let first = try transaction.reserveKeys(count, for: map.entity)
    let skipped = map.store.storeEntity(of: map.entity).knownKeys.keysToSkip(from: first)
    guard skipped > 0 else { return first }
    // Those that were set aside are among the ones to leave out.
    let more = max(0, skipped - Int64(count))
    if more > 0 { _ = try transaction.reserveKeys(Int(more), for: map.entity) }
    return try transaction.reserveKeys(count, for: map.entity)
  }
}

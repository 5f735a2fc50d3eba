import Foundation
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

// Fetches rows that the mirror (the engine's cache of the store's rows) lacks: single rows if the store finds rows by
// identifier, otherwise all rows of the entity.

extension CustomStoreEngine {
  /// Fetches all rows of those entities of which the mirror may lack rows.
  ///
  /// - Parameter isForced: Whether to fetch even entities whose rows are all in the mirror, so that changes by other
  ///   programs become visible.
  func load(
    _ entities: [EntityLayout], in transaction: (any StoreTransaction)?, isForced: Bool = false
  ) throws {
    let complete = isForced ? [] : state.withLock { $0.complete }
    var loaded: Set<String> = []
    for entity in entities {
      let root = root(of: entity)
      guard !complete.contains(root.name), loaded.insert(root.name).inserted else { continue }
      try load(root, in: transaction, as: root.modelType)
    }
  }

  private func load<T: PersistentModel>(
    _ entity: EntityLayout, in transaction: (any StoreTransaction)?, as type: T.Type
  ) throws {
    let own = own(transaction)
    var question = StoreQuestion<T>(everythingFor: own?.editor)
    try writing(in: transaction) { base in
      let result = try access.run { try question.ask($0) }
      let keys = Set(try register(result, of: entity, in: base, besides: own))
      state.withLock { $0.setComplete(entity.name, true) }
      guard own == nil else { return }
      let gone = try mirror.keys(FetchRequest(entity: entity), in: base).filter { !keys.contains($0) }
      if !gone.isEmpty { try base.delete(from: entity, keys: gone) }
    }
  }

  // MARK: Rows

  /// The maximum number of identifiers in the predicate of one fetch. A store may be slow to look up more.
  private static var mostIdentifiers: Int { 500 }

  /// Fetches those rows that the mirror lacks. It requests the store's cached snapshots first. Then it fetches the
  /// remaining rows by their identifiers or, if the store cannot do that, all rows of the entity.
  func loadRows(_ keys: [Int64], of entity: EntityLayout, in transaction: (any StoreTransaction)?) throws {
    var missing = try missingKeys(among: keys, of: entity, in: transaction)
    guard !missing.isEmpty else { return }
    let own = own(transaction)
    try writing(in: transaction) { base in
      let (identifiers, state) = (missing.compactMap(table.identifier), own?.editor ?? EditingState())
      let found = try access.run { try $0.cachedSnapshots(for: identifiers, editingState: state) }
      _ = try register(
        Array(found.values), oneOf: entity.family, in: base, at: "the result of cachedSnapshots(for:editingState:)",
        besides: own)
    }
    missing = try missingKeys(among: missing, of: entity, in: transaction)
    guard !missing.isEmpty else { return }
    let root = root(of: entity).name
    let mayFind = findsIdentifiers.withLock { $0[root] }
    if mayFind != false, missing.count <= Self.mostIdentifiers {
      let asked = missing.count
      let isAnswered = try fetchRows(missing, of: entity, in: transaction, isExpected: mayFind == true)
      missing = try missingKeys(among: missing, of: entity, in: transaction)
      if missing.count < asked { findsIdentifiers.withLock { $0[root] = true } }
      // The store can find rows by identifier. So a row that it has not returned does not exist.
      if missing.isEmpty || isAnswered && (missing.count < asked || mayFind == true) { return }
    }
    try load([entity], in: transaction, isForced: true)
    guard mayFind == nil, try missingKeys(among: missing, of: entity, in: transaction).count < missing.count else {
      return
    }
    findsIdentifiers.withLock { $0[root] = false }
  }

  /// The keys of rows that the mirror lacks and the store may have. The store has no row for a key without identifier.
  private func missingKeys(
    among keys: [Int64], of entity: EntityLayout, in transaction: (any StoreTransaction)?
  ) throws -> [Int64] {
    guard !keys.isEmpty else { return [] }
    let known = Set(try mirror.keys(FetchRequest(entity: entity, selection: .keys(keys)), in: base(of: transaction)))
    let deleted = own(transaction)?.changes.deleted ?? [:]
    return keys.filter { !known.contains($0) && deleted[$0] == nil && table.identifier(of: $0) != nil }
  }

  /// Fetches rows by their identifiers.
  ///
  /// - Parameter isExpected: Whether the store has found rows by identifier before. If not, any error of the fetch may
  ///   mean that the store cannot do so, and the method returns false. The caller then fetches the whole entity, which
  ///   throws the error again if it has another cause.
  /// - Returns: False if the store has thrown an error that means that it cannot find rows by identifier.
  private func fetchRows(
    _ keys: [Int64], of entity: EntityLayout, in transaction: (any StoreTransaction)?, isExpected: Bool
  ) throws -> Bool {
    let identifiers = Set(keys.compactMap(table.identifier))
    let own = own(transaction)
    func fetch<T: PersistentModel>(_ type: T.Type) throws -> Bool {
      let question = StoreQuestion<T>(identifiers: identifiers, for: own?.editor)
      return try writing(in: transaction) { base in
        let result: DataStoreFetchResult<T, Store.Snapshot>
        do {
          result = try access.run { try $0.fetch(question.request) }
        } catch  where !isExpected || error is DataStoreError {
          return false
        }
        _ = try register(result, of: entity, in: base, besides: own)
        return true
      }
    }
    return try fetch(entity.modelType)
  }

  // MARK: Members

  /// Fetches those members (related models) of a relationship that the mirror lacks. Also fetches the owners whose
  /// lists are not cached, because only an owner's snapshot contains the order of its members.
  ///
  /// - Parameter owners: The keys of the owners; nil for all owners in the mirror.
  func loadMembers(
    of relationship: RelationshipLayout, _ entity: EntityLayout, owners: [Int64]?,
    in transaction: (any StoreTransaction)?
  ) throws {
    guard let destination = layout(relationship.destination) else { return }
    let all = try owners ?? mirror.keys(FetchRequest(entity: entity), in: base(of: transaction))
    // An owner without an identifier is new. The store has no rows that refer to it.
    let owners = all.filter { table.identifier(of: $0) != nil }
    guard !owners.isEmpty else { return }
    let unknown = state.withLock { state in
      owners.filter { state.list(of: $0, at: relationship.position)?.isEmpty ?? true }
    }
    try loadRows(unknown, of: entity, in: transaction)
    guard state.withLock({ !$0.complete.contains(root(of: destination).name) }) else { return }
    guard let members = listed(owners, at: relationship) else { return try load([destination], in: transaction) }
    try loadRows(members, of: destination, in: transaction)
  }

  /// The keys of the members in the cached lists. Returns nil if one of the lists is not cached or is empty: a store
  /// may store only the inverse of the relationship, so an empty list does not prove that there are no members.
  private func listed(_ owners: [Int64], at relationship: RelationshipLayout) -> [Int64]? {
    var members: [Int64] = []
    for owner in owners {
      let list = state.withLock { $0.list(of: owner, at: relationship.position) }
      guard let list, !list.isEmpty else { return nil }
      members += list.compactMap(table.key)
    }
    return members
  }
}

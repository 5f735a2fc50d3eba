import PersistenceContext
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

// What the store returned becomes rows of the mirror.

extension CustomStoreEngine {
  /// Runs code in the mirror's transaction under one of this engine, or else in one of its own.
  func writing<Result>(
    in transaction: (any StoreTransaction)?, _ body: (any StoreTransaction) throws -> Result
  ) throws -> Result {
    if let base = base(of: transaction) { return try body(base) }
    let base = try mirror.beginTransaction()
    do {
      let result = try body(base)
      try base.commit()
      return result
    } catch {
      base.rollBack()
      throw error
    }
  }

  /// Fetches all rows of some entities that are not all there.
  ///
  /// - Parameter isForced: Whether to fetch those again that are, so that what others changed is seen.
  func load(
    _ entities: [EntityLayout], in transaction: (any StoreTransaction)?, isForced: Bool = false
  ) throws {
    let complete = isForced ? [] : state.withLock { $0.complete }
    var loaded: Set<String> = []
    for entity in entities {
      let root = entity.inheritance.flatMap { layout($0.rootName) } ?? entity
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
      guard own == nil else { return }
      let gone = try mirror.keys(FetchRequest(entity: entity), in: base).filter { !keys.contains($0) }
      if !gone.isEmpty { try base.delete(from: entity, keys: gone) }
    }
    state.withLock { _ = $0.complete.insert(entity.name) }
  }

  /// Fetches the rows with some keys that are not there: those that the store has at hand, or else all of the entity.
  func loadRows(_ keys: [Int64], of entity: EntityLayout, in transaction: (any StoreTransaction)?) throws {
    let own = own(transaction)
    var missing = try missingKeys(among: keys, of: entity, in: transaction)
    guard !missing.isEmpty else { return }
    let identifiers = missing.compactMap(table.identifier)
    // Keys without identifiers are of rows that a save has not given to the store.
    guard !identifiers.isEmpty else { return }
    try writing(in: transaction) { base in
      let state = own?.editor ?? EditingState()
      let found = try access.run { try $0.cachedSnapshots(for: identifiers, editingState: state) }
      _ = try register(
        Array(found.values), oneOf: entity.family, in: base, at: "the result of cachedSnapshots(for:editingState:)",
        besides: own)
    }
    missing = try missingKeys(among: missing, of: entity, in: transaction)
    guard !missing.isEmpty else { return }
    try load([entity], in: transaction, isForced: true)
  }

  private func missingKeys(
    among keys: [Int64], of entity: EntityLayout, in transaction: (any StoreTransaction)?
  ) throws -> [Int64] {
    let known = Set(try mirror.keys(FetchRequest(entity: entity, selection: .keys(keys)), in: base(of: transaction)))
    let deleted = own(transaction)?.changes.deleted ?? [:]
    return keys.filter { !known.contains($0) && deleted[$0] == nil }
  }

  // MARK: Snapshots

  /// Writes what a fetch returned, and returns the keys of its models in order.
  func register<T>(
    _ result: DataStoreFetchResult<T, Store.Snapshot>, of entity: EntityLayout, in base: any StoreTransaction,
    besides own: CustomStoreTransaction<Store>? = nil
  ) throws -> [Int64] {
    let keys = try register(
      result.fetchedSnapshots, oneOf: entity.family, in: base, at: "the result of fetch(_:)", besides: own)
    let fetched = Set(keys)
    let related = result.relatedSnapshots.values.filter { snapshot in
      !(table.key(of: snapshot.persistentIdentifier).map(fetched.contains) ?? false)
    }
    _ = try register(
      related, oneOf: plan.layouts, in: base, at: "relatedSnapshots of the result of fetch(_:)", besides: own)
    return keys
  }

  /// Writes snapshots, and returns their keys in order.
  ///
  /// - Parameter own: The transaction of a save, whose rows are newer than what the store has.
  func register(
    _ snapshots: [Store.Snapshot], oneOf entities: [EntityLayout], in base: any StoreTransaction, at place: String,
    besides own: CustomStoreTransaction<Store>? = nil
  ) throws -> [Int64] {
    guard !snapshots.isEmpty else { return [] }
    try contract.checkUnique(snapshots.map(\.persistentIdentifier), in: place)
    var rows: [ObjectIdentifier: (entity: EntityLayout, rows: [MirrorRow])] = [:]
    var keys: [Int64] = []
    for snapshot in snapshots {
      let identifier = snapshot.persistentIdentifier
      let entity = try contract.check(identifier, isOneOf: entities, in: place)
      guard let key = table.key(of: identifier) else { continue }
      keys.append(key)
      rows[ObjectIdentifier(entity), default: (entity, [])].rows.append(
        MirrorRow(key: key, identifier: identifier, values: try values(of: snapshot, entity)))
    }
    for (entity, rows) in rows.values { try write(rows, of: entity, in: base, besides: own) }
    return keys
  }

  /// The values of a snapshot of any type.
  private func values(of snapshot: Store.Snapshot, _ entity: EntityLayout) throws -> SnapshotValues {
    if let snapshot = snapshot as? DefaultSnapshot { return snapshot.values }
    let encoder = SnapshotEncoder()
    do {
      try snapshot.encode(to: encoder)
    } catch {
      throw SwiftDataError(
        .storeFailure, "The store '\(contract.name)' has a snapshot of \(entity.name) whose values cannot be taken.",
        underlying: error)
    }
    return try entity.snapshotValues(encoder.values, of: snapshot.persistentIdentifier, contract)
  }

  private func write(
    _ all: [MirrorRow], of entity: EntityLayout, in base: any StoreTransaction,
    besides own: CustomStoreTransaction<Store>?
  ) throws {
    var rows = all
    let known = Set(try mirror.keys(FetchRequest(entity: entity, selection: .keys(all.map(\.key))), in: base))
    if let own {
      rows.removeAll { known.contains($0.key) || own.changes.deleted[$0.key] != nil }
    } else if !known.isEmpty {
      try base.delete(from: entity, keys: known.sorted())
    }
    guard !rows.isEmpty else { return }
    let writer = MirrorWriter(entity: entity, table: table, contract: contract) { name in
      Set(self.layout(name)?.family.map(\.name) ?? [])
    }
    do {
      try writer.insert(rows, in: base)
    } catch is UniqueValueTaken {
      // A row with the same unique value that the store has changed or deleted since it was returned.
      try evict(allBut: rows.map(\.key), of: entity, in: base)
      do {
        try writer.insert(rows, in: base)
      } catch let error as UniqueValueTaken {
        throw contract.broken(
          "unique values are those of one model", "two models of \(entity.name) share one: \(error.cause).")
      }
    }
    try writeLists(of: rows, entity, in: base)
  }

  /// Forgets rows, so that they are fetched again.
  private func evict(allBut keys: [Int64], of entity: EntityLayout, in base: any StoreTransaction) throws {
    let root = entity.inheritance.flatMap { layout($0.rootName) } ?? entity
    // What the insertion has written is written anew.
    try base.delete(from: root, keys: mirror.keys(FetchRequest(entity: root), in: base))
    state.withLock { _ = $0.complete.remove(root.name) }
  }

  // MARK: Lists

  /// Keeps the lists of to-many relationships: which pairs there are, and in which order members are.
  private func writeLists(
    of rows: [MirrorRow], _ entity: EntityLayout, in base: any StoreTransaction
  ) throws {
    for relationship in entity.relationships where relationship.isToMany {
      var lists: [(owner: Int64, targets: [Int64])] = []
      for row in rows {
        guard case .toMany(let list)? = row.values[relationship.name] else { continue }
        try contract.checkUnique(list, in: "\(relationship.path) of \(row.identifier)")
        for identifier in list { try check(identifier, in: relationship, of: row.identifier) }
        state.withLock { $0.lists[row.key, default: [:]][relationship.position] = list }
        lists.append((row.key, list.compactMap(table.key)))
        try noteUnknown(list, of: relationship, in: base)
      }
      guard !lists.isEmpty else { continue }
      switch relationship.storage {
      case .links: try writePairs(lists, of: relationship, entity, in: base)
      case .inverseColumn: try rank(lists, of: relationship, in: base)
      case .column: break
      }
    }
    try rankMembers(rows, entity, in: base)
  }

  private func check(
    _ identifier: PersistentIdentifier, in relationship: RelationshipLayout, of owner: PersistentIdentifier
  ) throws {
    let family = layout(relationship.destination)?.family ?? []
    _ = try contract.check(identifier, isOneOf: family, in: "\(relationship.path) of \(owner)")
  }

  /// An entity with a row that is referred to and was never met is not complete any more.
  private func noteUnknown(
    _ list: [PersistentIdentifier], of relationship: RelationshipLayout, in base: any StoreTransaction
  ) throws {
    guard let destination = layout(relationship.destination) else { return }
    let root = destination.inheritance?.rootName ?? destination.name
    guard state.withLock({ $0.complete.contains(root) }) else { return }
    let keys = list.compactMap(table.key)
    let known = try mirror.count(FetchRequest(entity: destination, selection: .keys(keys)), in: base)
    if known != keys.count { state.withLock { _ = $0.complete.remove(root) } }
  }

  private func writePairs(
    _ lists: [(owner: Int64, targets: [Int64])], of relationship: RelationshipLayout, _ entity: EntityLayout,
    in base: any StoreTransaction
  ) throws {
    var (adding, removing): ([RelatedPair], [RelatedPair]) = ([], [])
    for (owner, targets) in lists {
      let known = try mirror.keys(of: relationship, in: entity, owners: [owner], transaction: base)
      removing += Set(known).subtracting(targets).map { RelatedPair(owner: owner, target: $0) }
      adding += targets.filter { !known.contains($0) }.map { RelatedPair(owner: owner, target: $0) }
    }
    try base.changePairs(of: relationship, in: entity, adding: adding, removing: removing)
    guard relationship.isOrdered else { return }
    try base.orderPairs(of: relationship, in: entity, lists.map { PairOrder(owner: $0.owner, targets: $0.targets) })
  }

  private func rank(
    _ lists: [(owner: Int64, targets: [Int64])], of relationship: RelationshipLayout, in base: any StoreTransaction
  ) throws {
    guard relationship.isOrdered, let inverse = relationship.inverse,
      let destination = layout(relationship.destination), let end = destination.relationship(at: inverse.position)
    else { return }
    let positions = lists.flatMap { list in
      list.targets.enumerated().map { ListOrder.Position(key: $1, rank: Double($0 + 1)) }
    }
    try base.setPositions(positions, of: end, in: destination)
  }

  /// Gives rows their places in the lists of their owners, which may have come before them.
  private func rankMembers(_ rows: [MirrorRow], _ entity: EntityLayout, in base: any StoreTransaction) throws {
    for relationship in entity.relationships where !relationship.isToMany && relationship.storage == .column {
      guard let inverse = relationship.inverse, inverse.isToMany else { continue }
      var ranks: [Int64: [PersistentIdentifier: Int]] = [:]
      var positions: [ListOrder.Position] = []
      for row in rows {
        guard case .toOne(let owner?)? = row.values[relationship.name], let key = table.key(of: owner) else { continue }
        let known = ranks[key] ?? ranksOfList(at: inverse.position, of: key)
        ranks[key] = known
        if let rank = known[row.identifier] {
          positions.append(ListOrder.Position(key: row.key, rank: Double(rank + 1)))
        }
      }
      if !positions.isEmpty { try base.setPositions(positions, of: relationship, in: entity) }
    }
  }

  private func ranksOfList(at position: Int, of owner: Int64) -> [PersistentIdentifier: Int] {
    let list = state.withLock { $0.lists[owner]?[position] } ?? []
    return Dictionary(list.enumerated().map { ($1, $0) }) { first, _ in first }
  }
}

extension EntityLayout {
  /// The values that a snapshot of a program has encoded, by the types of the properties.
  func snapshotValues(
    _ encoded: [String: Any?], of owner: PersistentIdentifier, _ contract: StoreContract
  ) throws -> SnapshotValues {
    var values = SnapshotValues()
    for property in properties {
      guard let found = encoded[property.name] else { continue }
      values[property.name] = try snapshotValue(found, of: property, owner, contract)
    }
    return values
  }

  private func snapshotValue(
    _ found: Any?, of property: PropertyLayout, _ owner: PersistentIdentifier, _ contract: StoreContract
  ) throws -> SnapshotValue {
    if let relationship = property.relationship {
      if relationship.isToMany, let list = (found ?? []) as? [PersistentIdentifier] { return .toMany(list) }
      guard let found else { return .toOne(nil) }
      if !relationship.isToMany, let identifier = found as? PersistentIdentifier { return .toOne(identifier) }
      throw contract.wrongType(found, of: property, self, owner)
    }
    guard let found else { return .null }
    guard let value = found as? any Codable else { throw contract.wrongType(found, of: property, self, owner) }
    return .value(value)
  }
}

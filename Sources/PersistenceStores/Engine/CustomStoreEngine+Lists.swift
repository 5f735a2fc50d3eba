import PersistenceRuntime
import PersistenceSupport

// Writes the lists of relationships to the mirror, the in-memory cache of the store's rows: the pairs of owner and
// member (related model), and the order of the members.

extension CustomStoreEngine {
  /// The entity's to-one relationships with an ordered to-many inverse. A row has a position in each of these lists.
  func listedReferences(of entity: EntityLayout) -> [RelationshipLayout] {
    entity.relationships.filter { $0.storage == .column && list(beyond: $0)?.relationship.isOrdered == true }
  }

  /// The to-many relationship that is the inverse of a to-one relationship, with its entity; nil if there is none.
  private func list(
    beyond reference: RelationshipLayout
  ) -> (entity: EntityLayout, relationship: RelationshipLayout)? {
    guard let inverse = reference.inverse, inverse.isToMany, let entity = layout(reference.destination),
      let relationship = entity.relationship(at: inverse.position)
    else { return nil }
    return (entity, relationship)
  }

  /// Caches the lists that the snapshots of a batch contain, and writes them to the mirror. Also gives positions to
  /// rows of the batch that have entered the list of another row, if the engine has cached that list.
  ///
  /// - Parameter own: The transaction of a running save. The store gets its changes of lists only when it commits.
  func writeLists(
    of batch: MirrorBatch, in base: any StoreTransaction, besides own: CustomStoreTransaction<Store>?
  ) throws {
    let new = Set(batch.new.map(\.key))
    for relationship in batch.entity.relationships where relationship.storage != .column {
      let lists = try noteLists(of: batch.rows, relationship, new: new)
      guard !lists.isEmpty else { continue }
      try noteUnknown(lists, of: relationship, in: base)
      if relationship.storage == .inverseColumn {
        try arrange(
          Set(lists.map(\.owner)), of: relationship, in: batch.entity, newOwners: new, in: base, besides: own)
      } else {
        try writePairs(lists, of: relationship, in: batch.entity, base)
      }
    }
    for reference in listedReferences(of: batch.entity) {
      guard let (entity, relationship) = list(beyond: reference), let owners = batch.arrivals[reference.position]
      else { continue }
      try arrange(
        Set(owners.values), of: relationship, in: entity, arrived: Set(owners.keys), in: base, besides: own)
    }
  }

  private typealias Lists = [(owner: Int64, targets: [Int64])]

  /// Caches the lists of the rows. Returns those to be written to the mirror: lists of new rows, and changed lists.
  private func noteLists(of rows: [MirrorRow], _ relationship: RelationshipLayout, new: Set<Int64>) throws -> Lists {
    var lists: Lists = []
    for row in rows {
      let list: [PersistentIdentifier]
      switch row.values[relationship.name] {
      case .toMany(let identifiers)? where relationship.isToMany: list = identifiers
      case .toOne(let identifier)? where !relationship.isToMany: list = identifier.map { [$0] } ?? []
      default: continue
      }
      let known = state.withLock { $0.list(of: row.key, at: relationship.position) }
      guard known != list || new.contains(row.key) else { continue }
      try contract.checkUnique(list, in: "\(relationship.path) of \(row.identifier)")
      let family = layout(relationship.destination)?.family ?? []
      for identifier in list {
        _ = try contract.check(identifier, isOneOf: family, in: "\(relationship.path) of \(row.identifier)")
      }
      state.withLock { $0.setList(list, of: row.key, at: relationship.position) }
      lists.append((row.key, list.compactMap(table.key)))
    }
    return lists
  }

  /// Records that the mirror lacks rows of the destination, if a list refers to a row that the mirror does not contain.
  private func noteUnknown(_ lists: Lists, of relationship: RelationshipLayout, in base: any StoreTransaction) throws {
    guard let destination = layout(relationship.destination) else { return }
    let root = root(of: destination).name
    guard state.withLock({ $0.complete.contains(root) }) else { return }
    let keys = Set(lists.flatMap(\.targets))
    guard !keys.isEmpty else { return }
    let known = try mirror.count(FetchRequest(entity: destination, selection: .keys(Array(keys))), in: base)
    if known != keys.count { state.withLock { $0.setComplete(root, false) } }
  }

  private func writePairs(
    _ lists: Lists, of relationship: RelationshipLayout, in entity: EntityLayout, _ base: any StoreTransaction
  ) throws {
    var (adding, removing): ([RelatedPair], [RelatedPair]) = ([], [])
    // Usually the owners have no pairs yet. One query for all owners finds this out.
    let owners = lists.map(\.owner)
    let hasPairs = try !mirror.pairs(of: relationship, in: entity, owners: owners, transaction: base).isEmpty
    for (owner, targets) in lists {
      let known =
        hasPairs
        ? Set(try mirror.pairs(of: relationship, in: entity, owners: [owner], transaction: base).map(\.target)) : []
      removing += known.subtracting(targets).map { RelatedPair(owner: owner, target: $0) }
      adding += targets.filter { !known.contains($0) }.map { RelatedPair(owner: owner, target: $0) }
    }
    try base.changePairs(of: relationship, in: entity, adding: adding, removing: removing)
    if let inverse = relationship.inverse {
      // Discards the cached lists of the inverse relationship, because the pairs in the mirror have changed.
      state.withLock { state in
        for pair in adding + removing { state.setList(nil, of: pair.target, at: inverse.position) }
      }
    }
    guard relationship.isOrdered else { return }
    let orders = lists.filter { $0.targets.count > 1 }.map { PairOrder(owner: $0.owner, targets: $0.targets) }
    if !orders.isEmpty { try base.orderPairs(of: relationship, in: entity, orders) }
  }

  // MARK: Positions

  /// Moves the members of lists in the mirror, so that they have the order in which the store returned them.
  ///
  /// Contexts have read the positions of the members, so the method moves as few members as possible. Contexts are then
  /// notified of the lists with moved members, and read these lists again.
  ///
  /// - Parameters:
  ///   - owners: The keys of the rows that own the lists.
  ///   - relationship: The to-many relationship.
  ///   - entity: The entity of the owners.
  ///   - arrived: The members that have no position yet.
  ///   - newOwners: Owners that are new in the mirror. No context has read their lists.
  ///   - own: The transaction of a running save, which may have moved members itself; nil without one. With one, the
  ///     members keep their order in the mirror, and each arrived member is inserted behind the member that precedes it
  ///     in the store's list.
  private func arrange(
    _ owners: Set<Int64>, of relationship: RelationshipLayout, in entity: EntityLayout, arrived: Set<Int64> = [],
    newOwners: Set<Int64> = [], in base: any StoreTransaction, besides own: CustomStoreTransaction<Store>?
  ) throws {
    let lists = state.withLock { state in
      owners.reduce(into: [Int64: [PersistentIdentifier]]()) {
        $0[$1] = state.list(of: $1, at: relationship.position)
      }
    }
    guard relationship.isOrdered, !lists.isEmpty, let inverse = relationship.inverse,
      let destination = layout(relationship.destination), let end = destination.relationship(at: inverse.position)
    else { return }
    let request = MemberRequest(
      relationship: relationship, entity: entity, destination: destination, owners: .some(Array(lists.keys)))
    var (positions, moved): ([ListOrder.Position], [Int64]) = ([], [])
    for (owner, members) in try mirror.positions(request, in: base) {
      let order = ListArrangement(members, in: (lists[owner] ?? []).compactMap(table.key))
      let ordered = own == nil || newOwners.contains(owner) ? order.listed : order.behindOthers(arrived)
      if ordered.isRising { continue }
      let moves = ListOrder.moves(ordered, end: ListOrder.end(of: ordered), arrived: arrived)
      positions += moves
      let hasMoved = moves.contains { !arrived.contains($0.key) }
      if hasMoved, !newOwners.contains(owner) { moved.append(owner) }
    }
    try base.setPositions(positions, of: end, in: destination)
    noteReordered(moved)
  }

  /// Records owners whose lists are in a new order, so that contexts read the lists again.
  private func noteReordered(_ owners: [Int64]) {
    let entities = Dictionary(grouping: owners) { table.identifier(of: $0)?.entityName ?? "" }
    let rows = entities.compactMap { name, owners in layout(name).map { ForeignRows(of: $0, updated: Set(owners)) } }
    reordered.withLock { $0.add(rows) }
  }
}

/// The members of one list in the mirror, with the order that the store returned.
private struct ListArrangement {
  private let members: [ListOrder.Position]
  private let indexes: [Int64: Int]

  init(_ members: [ListOrder.Position], in list: [Int64]) {
    self.members = members.inOrder
    indexes = Dictionary(list.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// The members in the store's order. Members that the store does not list come last.
  var listed: [ListOrder.Position] {
    members.enumerated().sorted {
      (indexes[$0.element.key] ?? .max, $0.offset) < (indexes[$1.element.key] ?? .max, $1.offset)
    }.map(\.element)
  }

  /// The members in the mirror's order. Each new member follows the member that precedes it in the store.
  func behindOthers(_ new: Set<Int64>) -> [ListOrder.Position] {
    var followers: [Int64: [ListOrder.Position]] = [:]
    var last: Int64 = 0
    for member in listed {
      if new.contains(member.key) { followers[last, default: []].append(member) } else { last = member.key }
    }
    // The key 0, which no row has, is the predecessor of new members at the beginning of the list.
    return members.reduce(into: followers[0] ?? []) { ordered, member in
      guard !new.contains(member.key) else { return }
      ordered.append(member)
      ordered += followers[member.key] ?? []
    }
  }
}

extension [ListOrder.Position] {
  /// Whether the positions are ascending already.
  fileprivate var isRising: Bool { zip(self, dropFirst()).allSatisfy { $0.rank < $1.rank } }
}

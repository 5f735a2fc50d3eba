import PersistenceRuntime
import PersistenceSupport

/// The relationship changes that a save writes after all rows: rows of junction tables, and positions in lists.
final class RelationshipChanges {
  private typealias Moves = (
    relationship: RelationshipLayout, destination: EntityChanges, positions: [ListOrder.Position]
  )

  private var entities: [SavedChanges.SavedEntity]
  private var moves: [Moves] = []

  init(_ entities: [SavedChanges.SavedEntity]) {
    self.entities = entities.filter { !$0.map.entity.relationships.isEmpty }
  }

  /// Keeps only the changes of the given entities, which the save writes.
  func leaveOut(allBut changes: [SavedChanges.SavedEntity]) {
    entities = changes.filter { !$0.map.entity.relationships.isEmpty }
  }

  /// Loads the lists whose new order can only be determined from all members. A second call loads nothing more.
  ///
  /// - Throws: The error of a read.
  func load() throws {
    for changes in entities {
      for relationship in changes.map.entity.relationships where relationship.isOrdered {
        try load(relationship, changes, as: changes.map.entity.modelType)
      }
    }
  }

  private func load<T: PersistentModel>(
    _ relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity, as type: T.Type
  ) throws {
    let keysRise = changes.map.store.keysRise
    var unread: ContiguousArray<AnyObject> = []
    for object in changes.changed {
      let model = unsafeDowncast(object, to: T.self)
      guard let list = model._$state.pointee.extras?.list(at: relationship.position),
        !list.added.isEmpty, !(keysRise && list.added.objects.areNewInOrder(relationship))
      else { continue }
      // An appended object may have a lower key than an earlier member. The positions then depend on all members.
      guard model._$edit(.find, at: relationship.position).isLoaded else {
        unread.append(object)
        continue
      }
      _ = try model._$readRelatedModels(relationship, in: changes.map)
    }
    if unread.count > 1 { changes.map.store.prefetchMembers(relationship, of: unread, in: changes.map, as: type) }
    for object in unread {
      let model = unsafeDowncast(object, to: T.self)
      guard !model._$edit(.find, at: relationship.position).isLoaded else { continue }
      _ = try model._$readRelatedModels(relationship, in: changes.map)
    }
  }

  /// Finds the members whose key does not imply their list position, so that it must be written. Needs assigned keys.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - context: The context. In its last save, the changes no longer refer to it.
  ///   - upserts: The new objects that are written to existing rows.
  func findMoves(in transaction: any StoreTransaction, of context: ModelContext, besides upserts: Upserts) throws {
    for changes in entities {
      for relationship in changes.map.entity.relationships
      where relationship.isOrdered && relationship.storage == .inverseColumn {
        guard let destination = context.changes(for: relationship.destinationType) else { continue }
        try findMoves(
          of: relationship, to: destination, changes, upserts, in: transaction, as: changes.map.entity.modelType)
      }
    }
  }

  /// Writes the rows of junction tables, and the positions in lists. Called after all other rows are written.
  func write(in transaction: any StoreTransaction) throws {
    for (relationship, destination, positions) in moves {
      let entity = destination.map.entity
      guard let inverse = relationship.inverse, let end = entity.relationship(at: inverse.position) else { continue }
      try transaction.setPositions(positions, of: end, in: entity)
    }
    for changes in entities {
      for relationship in changes.map.entity.relationships {
        guard case .links = relationship.storage else { continue }
        try writePairs(of: relationship, changes, in: transaction, as: changes.map.entity.modelType)
      }
    }
    for changes in entities {
      for relationship in changes.map.entity.relationships where relationship.isOrdered {
        guard case .links = relationship.storage else { continue }
        try orderPairs(of: relationship, changes, in: transaction, as: changes.map.entity.modelType)
      }
    }
  }

  /// Updates the known list positions (ranks) after the commit. Called while objects are still marked as changed.
  ///
  /// - Parameter log: The transaction whose undo may restore the former ranks.
  func didCommit(log: TransactionSnapshot?) {
    for changes in entities where !changes.source.listPositions.isEmpty {
      forgetPositions(changes, log, as: changes.map.modelType)
    }
    for (relationship, destination, positions) in moves {
      guard let inverse = relationship.inverse else { continue }
      for position in positions { destination.setRank(of: position.key, to: position.rank, inverse.position, log) }
    }
  }

  /// Forgets the explicit list positions (ranks) of objects whose reference to the owner of the list was written. The
  /// list then sorts these objects by their keys.
  private func forgetPositions<T: PersistentModel>(
    _ changes: SavedChanges.SavedEntity, _ log: TransactionSnapshot?, as type: T.Type
  ) {
    // A new object can have a rank only if it was written to an existing row.
    for object in changes.inserted + changes.changed {
      let model = unsafeDowncast(object, to: T.self)
      for position in changes.source.listPositions.keys where changes.source.resetsRank(of: model, at: position) {
        changes.source.setRank(of: model._$state.pointee.primaryKey, to: nil, position, log)
      }
    }
  }

  private func findMoves<T: PersistentModel>(
    of relationship: RelationshipLayout, to destination: EntityChanges, _ changes: SavedChanges.SavedEntity,
    _ upserts: Upserts, in transaction: any StoreTransaction, as type: T.Type
  ) throws {
    guard let inverse = relationship.inverse else { return }
    var found: [ListOrder.Position] = []
    // The next unused key, read at most once and only for a reordered list. No row gets a key during this loop.
    var end: Int64?
    let keysRise = destination.map.store.keysRise
    let rows = upserts.isEmpty ? [:] : Dictionary(grouping: changes.inserted) { changes.map.key(of: $0) }
    for object in changes.inserted + changes.changed {
      let model = unsafeDowncast(object, to: T.self)
      guard let first = model._$firstMoved(relationship) else {
        if !upserts.isEmpty {
          found += try unreadMoves(of: model, relationship, changes, destination, upserts, in: transaction)
        }
        continue
      }
      let members: [ListOrder.Position]
      let new = model._$state.pointee.flags.contains(.inserted) ? rows[model._$state.pointee.primaryKey] : nil
      if let new, new.contains(where: upserts.contains) {
        // These objects share one row and one list. The members of the first inserted object come first in the list.
        guard object === new.last else { continue }
        let all = ArraySlice(new.flatMap { unsafeDowncast($0, to: T.self)._$heldMembers(at: relationship.position) })
        if all.isEmpty || (keysRise && all.areNewInOrder(relationship, besides: upserts)) { continue }
        let own = ListOrder.lastOfEachKey(destination.ranks(of: all, at: inverse.position))
        members = try formerMembers(of: object, relationship, changes, destination, besides: own, in: transaction) + own
      } else {
        let objects = model._$heldMembers(at: relationship.position)
        guard first < objects.count else { continue }
        guard !destination.haveRisingRanks(objects, from: max(0, first - 1), at: inverse.position) else { continue }
        members = destination.ranks(of: objects[...], at: inverse.position)
      }
      if end == nil, keysRise { end = try transaction.reserveKeys(0, for: destination.map.entity) }
      found += ListOrder.moves(members, end: end ?? ListOrder.end(of: members))
    }
    if !found.isEmpty { moves.append((relationship, destination, found)) }
  }

  static func isRising(_ ranks: [ListOrder.Position]) -> Bool {
    zip(ranks, ranks.dropFirst()).allSatisfy { $0.rank < $1.rank }
  }

  // MARK: Pairs

  private func writePairs<T: PersistentModel>(
    of relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity, in transaction: any StoreTransaction,
    as type: T.Type
  ) throws {
    // Only one side of the relationship writes the pairs (junction rows), because its inverse has the same pairs.
    guard relationship.storage == .links(isReversed: false) else { return }
    var (added, removed): ([RelatedPair], [RelatedPair]) = ([], [])
    for object in changes.inserted {
      let model = unsafeDowncast(object, to: T.self)
      // Removed members stay in the array of a list until its next read. Here they are taken out.
      model._$applyLinks()
      added += try pairs(of: model, model._$heldMembers(at: relationship.position), relationship)
    }
    // Lists of batch-deleted rows are skipped: their pairs are deleted with the rows. With an inverse, the other side
    // has already released these rows.
    let leaving = relationship.inverse == nil ? changes.source.batchDeletedKeys : []
    for object in changes.changed {
      let model = unsafeDowncast(object, to: T.self)
      guard let list = model._$state.pointee.extras?.list(at: relationship.position),
        leaving.isEmpty || !leaving.contains(model._$state.pointee.primaryKey)
      else { continue }
      added += try pairs(of: model, list.added.objects, relationship)
      removed += try pairs(of: model, list.removed.objects.filter { isSaved($0, relationship) }, relationship)
    }
    guard !added.isEmpty || !removed.isEmpty else { return }
    try transaction.changePairs(of: relationship, in: changes.map.entity, adding: added, removing: removed)
  }

  private func isSaved(_ object: AnyObject, _ relationship: RelationshipLayout) -> Bool {
    EntityLayout.model(object, as: relationship.destinationType)._$state.pointee.primaryKey != 0
  }

  /// Returns the pairs of an owner and its members. Members inserted during the save are left to the next save.
  private func pairs<T: PersistentModel>(
    of owner: T, _ objects: ContiguousArray<AnyObject>, _ relationship: RelationshipLayout
  ) throws -> [RelatedPair] {
    let map = owner._$state.pointee.identityMap
    let context = map?.ownContext
    let scope = map.map { ReferenceScope(saving: $0, isEnding: $0.context == nil) } ?? ReferenceScope()
    let pairs = try objects.compactMap { object -> RelatedPair? in
      let target = EntityLayout.model(object, as: relationship.destinationType)
      if context?.notesLateChanges == true, target._$state.pointee.waitsForNextSave(of: context) { return nil }
      let key = try Self.key(of: target, in: relationship, scope)
      return RelatedPair(owner: owner._$state.pointee.primaryKey, target: key)
    }
    if pairs.count < objects.count {
      let written = ContiguousArray(objects.filter { isSaved($0, relationship) })
      context?.postpone(owner, at: relationship.position, besides: written)
    }
    return pairs
  }

  private func orderPairs<T: PersistentModel>(
    of relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity, in transaction: any StoreTransaction,
    as type: T.Type
  ) throws {
    var orders: [PairOrder] = []
    for object in changes.inserted + changes.changed {
      let model = unsafeDowncast(object, to: T.self)
      guard let first = model._$firstMoved(relationship) else { continue }
      let objects = model._$heldMembers(at: relationship.position)
      guard first < objects.count, objects.count > 1 else { continue }
      if let list = model._$state.pointee.extras?.list(at: relationship.position),
        relationship.storage == .links(isReversed: false), list.isGrown(objects, from: first)
      {
        continue
      }
      let targets = try pairs(of: model, objects, relationship).map(\.target)
      orders.append(PairOrder(owner: model._$state.pointee.primaryKey, targets: targets))
    }
    if !orders.isEmpty { try transaction.orderPairs(of: relationship, in: changes.map.entity, orders) }
  }

  private static func key(
    of related: any PersistentModel, in relationship: RelationshipLayout, _ scope: ReferenceScope
  ) throws -> Int64 {
    let key = related._$state.pointee.primaryKey
    guard scope.contains(related._$state.pointee.identityMap) else {
      throw SwiftDataError(
        .modelOfAnotherContext,
        "\(relationship.path) holds a model of another context; look it up in this one by its persistentModelID")
    }
    guard key != 0 else {
      throw SwiftDataError(
        .modelValidationFailure, "\(relationship.path) holds a model that was never inserted; insert it first")
    }
    return key
  }
}

extension ModelState {
  /// True if the object was inserted after the save assigned keys, so that only the next save can write it.
  func waitsForNextSave(of context: ModelContext?) -> Bool {
    guard primaryKey == 0 else { return false }
    guard let identityMap else { return context?.isHidden == true }
    return flags.contains(.inserted) && identityMap.ownContext === context
  }
}

extension ListChanges {
  /// True if all members from an index on were added since the last save, in this order.
  func isGrown(_ objects: ContiguousArray<AnyObject>, from index: Int) -> Bool {
    let arrivals = added.objects
    return objects.count - index == arrivals.count && zip(objects[index...], arrivals).allSatisfy { $0 === $1 }
  }
}

extension EntityChanges {
  /// Sets the rank of an object, and records the former rank, so that an undo of the transaction can restore it.
  fileprivate func setRank(of key: Int64, to rank: Double?, _ position: Int, _ log: TransactionSnapshot?) {
    log?.noteRank(of: key, at: position, in: self)
    listPositions[position, default: [:]][key] = rank
  }

  /// True if the save writes the reference at `position`. The list then sorts the object by its key. All properties
  /// from the 64th on share one mask bit: a reference among them counts only if its target has changed.
  func resetsRank<T: PersistentModel>(of object: T, at position: Int) -> Bool {
    let state = object._$state
    if state.pointee.flags.contains(.inserted) { return true }
    guard state.pointee.dirty & PropertyMask.bit(position) != 0 else { return false }
    guard position >= PropertyMask.sharedPosition else { return true }
    guard let original = originals.shared(of: object, at: position) as? OriginalReference else { return false }
    return object._$relatedObject(at: position) !== original.object
  }

  /// The rank of each list member: its explicit position or its key. The property at `position` refers to the owner.
  func ranks(of objects: ArraySlice<AnyObject>, at position: Int) -> [ListOrder.Position] {
    func ranks<T: PersistentModel>(_ type: T.Type) -> [ListOrder.Position] {
      let moved = listPositions[position]
      return objects.map { object in
        let model = unsafeDowncast(object, to: T.self)
        return ListOrder.Position(key: model._$state.pointee.primaryKey, rank: rank(of: model, at: position, moved))
      }
    }
    return ranks(map.modelType)
  }

  /// Whether each member of a list has a higher rank than the one before it, from an index on.
  func haveRisingRanks(_ objects: ContiguousArray<AnyObject>, from start: Int, at position: Int) -> Bool {
    func haveRisingRanks<T: PersistentModel>(_ type: T.Type) -> Bool {
      let moved = listPositions[position]
      var last: Double?
      return objects.allSatisfyUnretained(from: start, as: T.self) { model in
        let rank = rank(of: model, at: position, moved)
        defer { last = rank }
        return last.map { $0 < rank } ?? true
      }
    }
    return haveRisingRanks(map.modelType)
  }

  /// - Parameter moved: The explicit positions in the lists of the relationship, by key.
  private func rank<T: PersistentModel>(of model: T, at position: Int, _ moved: [Int64: Double]?) -> Double {
    let key = model._$state.pointee.primaryKey
    let rank = moved.flatMap { resetsRank(of: model, at: position) ? nil : $0[key] }
    return rank ?? Double(key)
  }
}

extension PersistentModel {
  /// The first index at which the order may differ from the order in the store; nil if there is none.
  fileprivate func _$firstMoved(_ relationship: RelationshipLayout) -> Int? {
    _$applyLinks()
    if _$state.pointee.flags.contains(.inserted) { return 0 }
    guard let changes = _$state.pointee.extras?.list(at: relationship.position),
      _$edit(.find, at: relationship.position).isLoaded || _$modifiedMembers(at: relationship.position) != nil
    else { return nil }
    return changes.firstMoved == .max ? nil : changes.firstMoved
  }
}

extension Sequence where Element == AnyObject {
  /// True if the objects are new and their keys rise in this order. False if a restored object has its former key.
  fileprivate func areNewInOrder(_ relationship: RelationshipLayout, besides upserts: Upserts? = nil) -> Bool {
    guard relationship.storage == .inverseColumn else { return false }
    var last: Int64 = 0
    return allSatisfy { object in
      let state = EntityLayout.model(object, as: relationship.destinationType)._$state
      defer { last = state.pointee.primaryKey }
      return state.pointee.flags.contains(.inserted) && state.pointee.extras?.formerRow == nil
        && state.pointee.primaryKey > last && upserts?.contains(object) != true
    }
  }
}

extension RelationshipChanges {
  /// Reads the members of an existing row that a new object updates. The new object's own members follow these members.
  func formerMembers(
    of object: AnyObject, _ relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity,
    _ destination: EntityChanges, besides own: [ListOrder.Position], in transaction: any StoreTransaction
  ) throws -> [ListOrder.Position] {
    let request = MemberRequest(
      relationship: relationship, entity: changes.map.entity, destination: destination.map.entity,
      owners: .one(changes.map.key(of: object)))
    let (column, ownKeys) = (request.columns.position, Set(own.map(\.key)))
    var members: [ListOrder.Position] = []
    try changes.map.store.members(request, in: transaction) { rows in
      let session = ReadSession(identityMap: destination.map, error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: 0)
        while try reader.next() {
          let rank = reader.isNull(column) ? Double(reader.key) : rows.functions.pointee.real(rows.row, column)
          if !ownKeys.contains(reader.key) { members.append(ListOrder.Position(key: reader.key, rank: rank)) }
        }
      }
    }
    return members.inOrder
  }

  /// Finds the members of an unread list whose position must be written. Only needed if new members are written to
  /// existing rows, because the keys of these rows may be lower than the keys of earlier members.
  func unreadMoves(
    of object: AnyObject, _ relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity,
    _ destination: EntityChanges, _ upserts: Upserts, in transaction: any StoreTransaction
  ) throws -> [ListOrder.Position] {
    let list = changes.map.entity.model(object)._$state.pointee.extras?.list(at: relationship.position)
    guard let inverse = relationship.inverse, let arrivals = list?.added.objects,
      arrivals.contains(where: upserts.contains)
    else { return [] }
    // Keeps one object for each row. An object that code added during the save has no row yet, and the key 0.
    var known: Set<Int64> = [0]
    let own = destination.ranks(of: arrivals[...], at: inverse.position).filter { known.insert($0.key).inserted }
    let former = try formerMembers(of: object, relationship, changes, destination, besides: own, in: transaction)
    guard !Self.isRising(former + own) else { return [] }
    return ListOrder.moves(former + own, end: try transaction.reserveKeys(0, for: destination.map.entity))
  }
}

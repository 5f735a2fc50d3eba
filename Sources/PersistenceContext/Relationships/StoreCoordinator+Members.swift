// Reads of relationships without a column, for all objects of a prefetch window at once.

import PersistenceRuntime

extension StoreCoordinator {
  /// Reads a relationship of an object and of its prefetch window. After an error only that of the object is read.
  func loadMembers<T: PersistentModel>(_ relationship: RelationshipLayout, of object: T, in map: IdentityMap) throws {
    let state = object._$state
    let window = state.pointee.group?.window(around: state.pointee.primaryKey, for: relationship.position)
    var owners: ContiguousArray<AnyObject> = []
    for key in window?.keys ?? [] where key != state.pointee.primaryKey {
      guard let other = map.object(for: key), isWaiting(unsafeDowncast(other, to: T.self), relationship) else {
        continue
      }
      owners.append(other)
    }
    owners.append(object)
    do {
      try loadMembers(relationship, of: owners, in: map, isComplete: window?.isComplete ?? false, as: T.self)
    } catch {
      guard owners.count > 1 else { throw error }
      try loadMembers(relationship, of: [object], in: map, isComplete: false, as: T.self)
    }
  }

  /// Reads a relationship without a column, of several objects that have not read it, with one query.
  ///
  /// After an error nothing has changed: an access reads it again, and notes the error for its object.
  func prefetchMembers<T: PersistentModel>(
    _ relationship: RelationshipLayout, of objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type
  ) {
    guard objects.count > 1, relationship.storage != .column else { return }
    let waiting: ContiguousArray<AnyObject> = objects.filter { object in
      let model = unsafeDowncast(object, to: T.self)
      return model._$state.pointee.primaryKey != 0 && isWaiting(model, relationship)
    }
    guard waiting.count > 1 else { return }
    let group = unsafeDowncast(waiting[0], to: T.self)._$state.pointee.group
    let isComplete = group?.isComplete(with: waiting.count) ?? false
    try? loadMembers(relationship, of: waiting, in: map, isComplete: isComplete, as: type)
  }

  private func isWaiting<T: PersistentModel>(_ object: T, _ relationship: RelationshipLayout) -> Bool {
    !object.isDeleted && !object._$edit(.find, at: relationship.position).isLoaded
  }

  /// Reads a relationship of some objects.
  func loadMembers<T: PersistentModel>(
    _ relationship: RelationshipLayout, of objects: ContiguousArray<AnyObject>, in map: IdentityMap, isComplete: Bool,
    as type: T.Type
  ) throws {
    guard let destination = identityMap(for: relationship.destinationType, beside: map) else { return }
    let keys = map.keys(of: objects)
    let owners: MemberRequest.Owners = isComplete ? .all : keys.count == 1 ? .one(keys[0]) : .some(keys)
    // Related objects of a row refer to an object of a living context. So without a context the reference is read.
    let ownerPosition = map.context == nil ? nil : relationship.inverse?.position
    let request = MemberRequest(
      relationship: relationship, entity: map.entity, destination: destination.entity, owners: owners,
      knowsOwner: ownerPosition != nil && destination.entity.modelType._$isGenerated)
    let members = try rereading { isRepeated in
      let members = MemberCollection(
        owners: keys, objects: objects, ownerPosition: ownerPosition,
        columns: request.columns, isOrderedByStore: relationship.storage != .inverseColumn)
      try self.members(request, in: map.context?.openTransaction(of: self)) { rows in
        try decode(rows, of: destination, into: members, mask: request.mask, isRepeated: isRepeated)
      }
      return members
    }
    if relationship.inverse == nil { map.context?.referrers.note(keys, of: map) }
    let lists = members.takeLists()
    if let context = destination.context, context.referrers.isKept {
      for list in lists { context.referrers.note(destination.keys(of: list), of: destination) }
    }
    destination.changes?.note(members.positions, of: relationship, in: lists)
    for (index, object) in objects.enumerated() {
      let list = destination.ordered(lists[index], at: index, in: members, of: relationship)
      unsafeDowncast(object, to: T.self)._$fill(list, relationship)
    }
    guard let log = map.context?.transactionSnapshot else { return }
    log.noteRead(keys, at: relationship.position, in: map)
    for list in lists { log.noteRows(destination.keys(of: list), in: destination) }
  }
}

extension EntityChanges {
  /// Stores the ranks of moved objects of a relationship.
  fileprivate func note(
    _ positions: [Int64: Double], of relationship: RelationshipLayout,
    in lists: ContiguousArray<ContiguousArray<AnyObject>>
  ) {
    guard let inverse = relationship.inverse else { return }
    if let known = listPositions[inverse.position], !known.isEmpty {
      for object in lists.joined() { listPositions[inverse.position]?[map.key(of: object)] = nil }
    }
    guard !positions.isEmpty else { return }
    listPositions[inverse.position, default: [:]].merge(positions) { $1 }
    pruneRanks()
  }
}

extension IdentityMap {
  /// The objects of one list in their order.
  fileprivate func ordered(
    _ list: ContiguousArray<AnyObject>, at index: Int, in members: MemberCollection,
    of relationship: RelationshipLayout
  ) -> ContiguousArray<AnyObject> {
    guard members.scattered.contains(index) else { return list }
    let positions = relationship.isOrdered ? members.positions : [:]
    let ranked = list.map { (object: $0, key: key(of: $0)) }.map { entry in
      (entry.object, positions[entry.key] ?? Double(entry.key), entry.key)
    }
    return ContiguousArray(ranked.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0))
  }

}

extension PersistentModel {
  /// Fills a relationship from the store, and applies the changes that were made before it was read.
  fileprivate func _$fill(_ objects: ContiguousArray<AnyObject>, _ relationship: RelationshipLayout) {
    var edit = RelationshipSlotOperation(.fill)
    edit.objects = objects
    if !relationship.isToMany {
      // Several owners, which only a race of two contexts can leave: the last one wins.
      edit.objects = objects.last.map { [$0] } ?? []
    } else if let changes = _$state.pointee.extras?.list(at: relationship.position) {
      if !changes.removed.isEmpty { edit.objects.removeAll(where: changes.removed.contains) }
      let arrivals = changes.added.objects(besides: edit.objects)
      if !arrivals.isEmpty { changes.noteMove(from: edit.objects.count) }
      edit.objects += arrivals
      changes.forgetMembers()
    }
    _$relate(&edit, relationship.position)
    _$didRead(relationship.position)
  }
}

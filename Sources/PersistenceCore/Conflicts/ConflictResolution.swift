/// What one save does about rows that were changed elsewhere since they were read.
final class ConflictResolution {
  private var conflicts: [SaveConflict] = []
  /// Changes that gave way to the store's, to be given back if the save fails.
  private var dropped: [(object: any PersistentModel, dirty: UInt64)] = []
  /// Rows that were looked at, whose objects take over what others changed once the save has succeeded.
  private var compared: [(map: IdentityMap, keys: [Int64])] = []
  /// Objects whose rows others deleted.
  private var lost: [(object: any PersistentModel, map: IdentityMap)] = []
  /// Ends of relationships that have to be read again, because a to-one relationship took the store's value.
  private var loosened: [(object: any PersistentModel, position: Int)] = []

  /// Compares what is to be saved with the rows that the open transaction sees.
  ///
  /// - Throws: `SwiftDataError.conflictingChanges` when the policy says so.
  func resolve(
    _ entities: [SavedChanges.EntityChanges], in transaction: any StoreTransaction, policy: ConflictPolicy
  ) throws {
    for changes in entities where !changes.changed.isEmpty || !changes.deleted.isEmpty {
      try compare(changes, in: transaction, policy, as: changes.map.entity.modelType)
    }
    guard policy == .throwError, let first = conflicts.first else { return }
    let text = conflicts.count == 1 ? "\(first)" : "\(conflicts.count) conflicts:\n" + list
    throw SwiftDataError(
      .conflictingChanges,
      text + "; roll back to read what others saved, or set another conflictPolicy and save again")
  }

  private var list: String { conflicts.map(\.description).joined(separator: "\n") }

  private func compare<T: PersistentModel>(
    _ changes: SavedChanges.EntityChanges, in transaction: any StoreTransaction, _ policy: ConflictPolicy,
    as type: T.Type
  ) throws {
    let map = changes.map
    let originals = map.originals.grouped()
    let keys = map.keys(of: changes.changed + changes.deleted)
    var waiting = Dictionary(zip(keys, changes.changed + changes.deleted)) { first, _ in first }
    try map.store.readAside(keys, in: map, transaction, as: type) { key, twin, reference in
      guard let object = waiting.removeValue(forKey: key) else { return }
      let comparison = RowComparison(
        object: unsafeDowncast(object, to: T.self), twin: twin, reference: reference, entity: map.entity,
        originals: originals[ObjectIdentifier(object)] ?? [:])
      try judge(comparison, in: map, policy)
    }
    for object in changes.changed where waiting[map.key(of: object)] === object {
      noteLoss(of: unsafeDowncast(object, to: T.self), in: map, policy)
    }
    compared.append((map, map.keys(of: changes.changed)))
  }

  private func judge<T: PersistentModel>(
    _ comparison: RowComparison<T>, in map: IdentityMap, _ policy: ConflictPolicy
  ) throws {
    let object = comparison.object
    guard !object._$state.pointee.flags.contains(.deleted) else {
      if let difference = comparison.firstChangedElsewhere() { note(difference, .deletedHere, of: object) }
      return
    }
    let differences = comparison.changedTwice()
    for difference in differences { note(difference, .changedTwice, of: object) }
    for property in comparison.writtenAlong() { try takeOver(property, comparison, in: map) }
    guard policy == .mergeByProperty(keeping: .theirs) else { return }
    for difference in differences { try giveWay(difference.property, comparison, in: map) }
  }

  /// Lets the store keep its value of a property.
  private func giveWay<T: PersistentModel>(
    _ property: PropertyLayout, _ comparison: RowComparison<T>, in map: IdentityMap
  ) throws {
    // Properties that share a bit are written together, so this one has to be right.
    guard property.position < PropertyMask.sharedPosition else { return try takeOver(property, comparison, in: map) }
    let state = comparison.object._$state
    dropped.append((comparison.object, state.pointee.dirty))
    state.pointee.dirty &= ~property.bit
    guard let inverse = property.relationship?.inverse,
      let held = comparison.object._$relatedObject(at: property.position)
    else { return }
    loosened.append((held, inverse.position))
  }

  private func takeOver<T: PersistentModel>(
    _ property: PropertyLayout, _ comparison: RowComparison<T>, in map: IdentityMap
  ) throws {
    guard let context = map.context else { return }
    try context.withoutUndo { try comparison.takeOver(property, in: map) }
  }

  private func noteLoss<T: PersistentModel>(of object: T, in map: IdentityMap, _ policy: ConflictPolicy) {
    switch policy {
    case .throwError:
      conflicts.append(conflict(.deletedElsewhere, of: object))
    case .mergeByProperty(keeping: .theirs):
      conflicts.append(conflict(.deletedElsewhere, of: object))
      dropped.append((object, object._$state.pointee.dirty))
      object._$state.pointee.dirty = 0
      object._$state.pointee.forgetListChanges()
      lost.append((object, map))
    case .mergeByProperty(keeping: .ours):
      // The update finds no row, and says what can be done.
      break
    }
  }

  private func note<T: PersistentModel>(
    _ difference: RowComparison<T>.Difference, _ kind: SaveConflict.Kind, of object: T
  ) {
    conflicts.append(
      conflict(
        kind, of: object, difference.property.name, read: difference.read, ours: difference.ours,
        theirs: difference.theirs))
  }

  private func conflict<T: PersistentModel>(
    _ kind: SaveConflict.Kind, of object: T, _ property: String? = nil, read: String? = nil, ours: String? = nil,
    theirs: String? = nil
  ) -> SaveConflict {
    SaveConflict(
      kind: kind, persistentModelID: object.persistentModelID, entityName: Schema.entityName(for: T.self),
      propertyName: property, read: read, ours: ours, theirs: theirs)
  }

  // MARK: The end

  /// Gives back what gave way: the save failed.
  func undo() {
    for (object, dirty) in dropped.reversed() { object._$state.pointee.dirty = dirty }
    (conflicts, dropped, compared, lost, loosened) = ([], [], [], [], [])
  }

  /// Makes the objects of a store take over what others changed. Called when everything else has been settled.
  func settle(_ store: StoreCoordinator, in context: ModelContext) {
    for (object, map) in lost where map.store === store { part(object, from: map) }
    let own = compared.filter { $0.map.store === store }
    guard !own.isEmpty else { return }
    for (map, keys) in own where map.context != nil {
      do {
        _ = try store.objects(FetchRequest(entity: map.entity, selection: .keys(keys)), in: map)
      } catch {
        map.noteReadFailure(error)
        context.inbox.putBack(ChangeNews.Rows(changed: Set(keys)), of: map.modelType)
      }
    }
    for (object, position) in loosened { _ = object._$edit(.release, at: position) }
    if !conflicts.isEmpty { context.report(conflicts) }
    dropped.removeAll { $0.object._$state.pointee.identityMap?.store === store }
    (conflicts, loosened) = ([], [])
  }

  private func part<T: PersistentModel>(_ object: T, from map: IdentityMap) {
    let state = object._$state
    if state.pointee.isRegistered { map.depart(object, key: state.pointee.primaryKey) }
    state.pointee.flags.insert(.gone)
  }
}

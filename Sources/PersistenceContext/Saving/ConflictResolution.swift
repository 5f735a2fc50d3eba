import PersistenceRuntime
import PersistenceSupport

/// The conflicts of one save with rows that other contexts or processes have changed since they were read.
final class ConflictResolution {
  @exclusivity(unchecked) private var conflicts: [ModelContext.SaveConflict] = []
  /// The changes that the save has discarded. If the save fails, they are restored.
  private var dropped: [(object: any PersistentModel, dirty: UInt64)] = []
  /// The rows that were compared with their objects. After the commit, the objects are read again.
  @exclusivity(unchecked) private var compared: [(map: IdentityMap, keys: [Int64])] = []
  /// Objects whose rows were deleted elsewhere.
  @exclusivity(unchecked) private var lost: [(object: any PersistentModel, map: IdentityMap)] = []
  /// Objects related to the objects in ``lost``. After the commit they read their relationships again.
  private var holders: [any PersistentModel] = []
  /// The inverses of to-one relationships whose change was discarded. They are read again after the commit.
  private var loosened: [(object: any PersistentModel, position: Int)] = []

  /// Compares changed and deleted objects with their rows in the open transaction.
  ///
  /// - Parameters:
  ///   - entities: The changes of the save.
  ///   - transaction: The transaction.
  ///   - context: The context.
  ///   - onlyContested: Whether to compare only contested rows: rows that were changed elsewhere while their objects
  ///     had pending changes. True if the context knows all commits, so that no other row can differ, or if the store
  ///     compares the other rows when it writes them.
  /// - Throws: `SwiftDataError.conflictingChanges` if there are conflicts and the policy is `throwError`.
  func resolve(
    _ entities: [SavedChanges.SavedEntity], in transaction: any StoreTransaction, of context: ModelContext,
    onlyContested: Bool
  ) throws {
    for changes in entities where !changes.changed.isEmpty || !changes.deleted.isEmpty {
      let contested = changes.source.originals.contested
      if onlyContested && contested.isEmpty { continue }
      var objects = changes.changed + changes.deleted
      if onlyContested {
        objects.removeAll { !contested.contains(changes.map.key(of: $0)) }
      } else {
        context.comparedRows += objects.count
      }
      try compare(
        objects, of: changes.source, in: transaction, of: context, as: changes.map.entity.modelType)
    }
    try throwIfAsked(context.conflictPolicy)
  }

  /// Discards changes of objects whose rows the store's foreign keys deleted when the save deleted other rows. Another
  /// context had set references from these rows to the rows that the save deleted.
  ///
  /// - Parameter rows: The keys, by the name of the entity or of the root of its hierarchy.
  func lose(
    _ rows: [String: Set<Int64>], of entities: [SavedChanges.SavedEntity], policy: ModelContext.ConflictPolicy
  ) throws {
    for changes in entities {
      guard let keys = rows[changes.map.rootMap.entity.name] else { continue }
      for object in changes.changed where keys.contains(changes.map.key(of: object)) {
        noteLoss(of: changes.map.entity.model(object), in: changes.map, policy)
      }
    }
    try throwIfAsked(policy)
  }

  /// Discards changes of objects whose rows did not exist when the save wrote them.
  func lose(_ objects: [AnyObject], in map: IdentityMap, policy: ModelContext.ConflictPolicy) throws {
    for object in objects { noteLoss(of: map.entity.model(object), in: map, policy) }
    try throwIfAsked(policy)
  }

  /// Records references to rows that were deleted elsewhere. The caller then clears the references.
  ///
  /// - Throws: `SwiftDataError.conflictingChanges` if there are references and the policy is `throwError`.
  func noteBroken(_ references: [PendingReference], policy: ModelContext.ConflictPolicy) throws {
    var known = references.isEmpty ? [] : Set(lost.map { ObjectIdentifier($0.object) })
    for reference in references {
      conflicts.append(reference.conflict)
      compared.append((reference.ownerMap, [reference.owner._$state.pointee.primaryKey]))
      guard known.insert(ObjectIdentifier(reference.target)).inserted else { continue }
      let map = reference.targetMap
      noteHolders(of: map.entity.model(reference.target), in: map)
      lost.append((map.entity.model(reference.target), map))
    }
    try throwIfAsked(policy)
  }

  private func throwIfAsked(_ policy: ModelContext.ConflictPolicy) throws {
    guard policy == .throwError, let first = conflicts.first else { return }
    let text = conflicts.count == 1 ? "\(first)" : "\(conflicts.count) conflicts:\n" + list
    throw SwiftDataError(
      .conflictingChanges,
      text + "; roll back to read what others saved, or set another conflictPolicy and save again")
  }

  private var list: String { conflicts.map(\.description).joined(separator: "\n") }

  private func compare<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, of changes: EntityChanges, in transaction: any StoreTransaction,
    of context: ModelContext, as type: T.Type
  ) throws {
    guard !objects.isEmpty else { return }
    let (map, originals) = (changes.map, changes.originals.grouped())
    let keys = map.keys(of: objects)
    if !map.store.engine.isSingleWriter { try transaction.lock(keys, of: map.entity) }
    // The additional objects of a row that has several objects.
    var others: ContiguousArray<AnyObject> = []
    var waiting = Dictionary(zip(keys, objects)) { first, other in
      others.append(other)
      return first
    }
    try map.store.readUnregistered(keys, in: map, transaction, as: type) { key, currentRow, unread, reference in
      guard let object = waiting.removeValue(forKey: key) else { return }
      func judge(_ object: AnyObject) throws {
        let comparison = RowComparison(
          object: unsafeDowncast(object, to: T.self), currentRow: currentRow, unread: unread, reference: reference,
          entity: map.entity, originals: originals[ObjectIdentifier(object)] ?? [:])
        try self.judge(comparison, in: map, of: context)
      }
      try judge(object)
      for other in others where map.key(of: other) == key { try judge(other) }
    }
    // A row that both sides deleted is no conflict.
    let changed = ContiguousArray(
      objects.lazy.filter { !unsafeDowncast($0, to: T.self)._$state.pointee.flags.contains(.deleted) })
    for object in changed where waiting[map.key(of: object)] != nil {
      noteLoss(of: unsafeDowncast(object, to: T.self), in: map, context.conflictPolicy)
    }
    compared.append((map, map.keys(of: changed)))
  }

  private func judge<T: PersistentModel>(
    _ comparison: RowComparison<T>, in map: IdentityMap, of context: ModelContext
  ) throws {
    let object = comparison.object
    guard !object._$state.pointee.flags.contains(.deleted) else {
      if let difference = comparison.firstChangedElsewhere() { note(difference, .deletedHere, of: object, in: map) }
      return
    }
    let differences = comparison.changedTwice()
    for difference in differences { note(difference, .changedTwice, of: object, in: map) }
    for property in comparison.writtenAlong() { try takeOver(property, comparison, of: context) }
    guard context.conflictPolicy == .mergeByProperty(keeping: .theirs) else { return }
    for difference in differences { try giveWay(difference.property, comparison, of: context) }
  }

  /// Discards the change of a property in favour of the store's value.
  private func giveWay<T: PersistentModel>(
    _ property: PropertyLayout, _ comparison: RowComparison<T>, of context: ModelContext
  ) throws {
    // All properties from the 64th on share one mask bit and are written together. The object gets the store's value.
    guard property.position < PropertyMask.sharedPosition else {
      return try takeOver(property, comparison, of: context)
    }
    let state = comparison.object._$state
    dropped.append((comparison.object, state.pointee.dirty))
    state.pointee.dirty &= ~property.bit
    guard let inverse = property.relationship?.inverse,
      let held = comparison.object._$relatedObject(at: property.position)
    else { return }
    loosened.append((held, inverse.position))
  }

  private func takeOver<T: PersistentModel>(
    _ property: PropertyLayout, _ comparison: RowComparison<T>, of context: ModelContext
  ) throws {
    // Uses the parameter `context`: in the last save of a context, the object's map refers to no context.
    let destination = property.relationship.flatMap { context.changes(for: $0.destinationType)?.map }
    try context.withoutUndo { try comparison.takeOver(property, in: destination) }
  }

  private func noteLoss<T: PersistentModel>(of object: T, in map: IdentityMap, _ policy: ModelContext.ConflictPolicy) {
    conflicts.append(conflict(.deletedElsewhere, of: object))
    guard policy != .throwError else { return }
    // The change is discarded regardless of the side to keep, because the row cannot be restored from partial values.
    dropped.append((object, object._$state.pointee.dirty))
    object._$state.pointee.dirty = 0
    map.ownContext?.lateChanges?.forget(object)
    noteHolders(of: object, in: map)
    lost.append((object, map))
  }

  private func note<T: PersistentModel>(
    _ difference: RowComparison<T>.Difference, _ kind: ModelContext.SaveConflict.Kind, of object: T, in map: IdentityMap
  ) {
    let conflict = conflict(
      kind, of: object, difference.property.name, read: difference.read, ours: difference.ours,
      theirs: difference.theirs)
    conflicts.append(conflict)
  }

  private func conflict<T: PersistentModel>(
    _ kind: ModelContext.SaveConflict.Kind, of object: T, _ property: String? = nil, read: String? = nil,
    ours: String? = nil, theirs: String? = nil
  ) -> ModelContext.SaveConflict {
    ModelContext.SaveConflict(
      kind: kind, persistentModelID: object.persistentModelID, entityName: Schema.entityName(for: T.self),
      propertyName: property, read: read, ours: ours, theirs: theirs)
  }

  // MARK: The end

  /// Restores the discarded changes of a failed save.
  func undo() {
    for (object, dirty) in dropped.reversed() { object._$state.pointee.dirty |= dirty }
  }

  /// Reads the compared rows again. Called after all other steps of the commit.
  func didCommit(_ store: StoreCoordinator, in context: ModelContext) {
    for (object, map) in lost { part(object, from: map, in: context) }
    let rows = Dictionary(grouping: compared + held(in: store)) { ObjectIdentifier($0.map) }
    for (map, keys) in rows.values.map({ ($0[0].map, Set($0.flatMap(\.keys))) })
    where map.context != nil && !keys.isEmpty {
      do {
        _ = try store.objects(FetchRequest(entity: map.entity, selection: .keys(keys.sorted())), in: map)
      } catch {
        map.noteReadFailure(error)
        context.inbox.putBack(RemoteChanges(RemoteChanges.Rows(changed: keys), of: map.modelType))
      }
    }
    for (object, position) in loosened where object._$state.pointee.identityMap?.store === store {
      _ = object._$edit(.release, at: position)
    }
    if !conflicts.isEmpty { context.report(conflicts) }
  }

  /// Marks an object as deleted. All rows are then read again, because objects outside ``holders`` may refer to it.
  private func part<T: PersistentModel>(_ object: T, from map: IdentityMap, in context: ModelContext) {
    context.didTouch(object, in: map)
    object._$noteGone(in: map)
    context.comparedRows = .max >> 1
  }

  /// Records the known objects that are related to a deleted object.
  private func noteHolders<T: PersistentModel>(of object: T, in map: IdentityMap) {
    for relationship in map.entity.relationships where relationship.inverse != nil {
      let added = object._$state.pointee.extras?.list(at: relationship.position)?.added.objects ?? []
      for holder in object._$edit(.read, at: relationship.position).objects + added {
        holders.append(EntityLayout.model(holder, as: relationship.destinationType))
      }
    }
  }

  /// The rows of those ``holders`` that are not deleted.
  private func held(in store: StoreCoordinator) -> [(map: IdentityMap, keys: [Int64])] {
    holders.compactMap { holder in
      guard let map = holder._$state.pointee.identityMap, map.store === store, !holder.isDeleted else { return nil }
      return (map, [holder._$state.pointee.primaryKey])
    }
  }
}

// A save may write references to rows that were deleted elsewhere. A context knows all references to the models that it
// deletes itself. For other deletions, the store reports broken references.

extension ConflictResolution {
  /// Clears references to rows that were deleted elsewhere, as foreign keys do for references that are already stored.
  ///
  /// Called after all rows of a save are written, if references are broken.
  /// - Throws: `SwiftDataError.modelValidationFailure` if this context itself deleted the target, or if a required
  ///   reference is broken; `.conflictingChanges` if the policy is `throwError`.
  func mendReferences(
    of entities: [SavedChanges.SavedEntity], to store: StoreCoordinator, in transaction: any StoreTransaction,
    policy: ModelContext.ConflictPolicy
  ) throws {
    let references = entities.flatMap { $0.pendingReferences() }
    let broken = try references.filter(isBroken(among: references, in: transaction))
    try SaveValidation.refuse(broken.filter { $0.isDeletedHere && $0.relationship.isKeptByStore }.map(\.ownViolation))
    let brokenByOthers = broken.filter { !$0.isDeletedHere }
    if policy != .throwError {
      try SaveValidation.refuse(brokenByOthers.filter(\.relationship.isRequired).map(\.violation))
    }
    try noteBroken(brokenByOthers, policy: policy)
    for lost in Dictionary(grouping: lost, by: { ObjectIdentifier($0.map) }).values {
      try drop(lost.map { $0.object._$state.pointee.primaryKey }, of: lost[0].map.entity, in: store, transaction)
    }
  }

  /// Clears the references to missing rows of an entity, and deletes the rows of junction tables that refer to them.
  private func drop(
    _ keys: [Int64], of entity: EntityLayout, in store: StoreCoordinator, _ transaction: any StoreTransaction
  ) throws {
    let leading = store.relationships(to: entity).filter { $0.1.isKeptByStore }
    if !leading.isEmpty { try transaction.dropReferences(leading, to: keys) }
    let pairs = entity.relationships.filter(\.hasPairs).map { (entity, $0) }
    if !pairs.isEmpty { try transaction.dropPairs(pairs, of: keys) }
  }

  /// Reads the target rows, with one query for each table. Returns a test for references whose target row is missing.
  private func isBroken(
    among references: [PendingReference], in transaction: any StoreTransaction
  ) throws -> (PendingReference) -> Bool {
    var found: [ObjectIdentifier: Set<Int64>] = [:]
    for (root, targets) in Dictionary(grouping: references, by: { ObjectIdentifier($0.targetMap.rootMap) }) {
      guard let map = targets.first?.targetMap.rootMap else { continue }
      let request = FetchRequest(entity: map.entity, selection: .keys(Array(Set(targets.map(\.targetKey)))))
      found[root] = Set(try map.store.engine.keys(request, in: transaction))
    }
    return { found[ObjectIdentifier($0.targetMap.rootMap)]?.contains($0.targetKey) == false }
  }
}

extension RelationshipLayout {
  fileprivate var hasPairs: Bool {
    if case .links = storage { return true }
    return false
  }

  /// Whether a foreign key of the store protects the relationship.
  fileprivate var isKeptByStore: Bool { hasPairs || storage == .column && inverseDeleteRule != .noAction }
}

import PersistenceRuntime
import PersistenceSupport

/// Rows that foreign keys of the stores changed or deleted in addition to the rows of a save.
///
/// A context applies delete rules to the references that it knows. Only the store knows the rows that other contexts
/// have related to the deleted rows meanwhile.
final class AffectedByDeletion {
  /// The rows that the save deletes without objects.
  var batchDeleted = BatchDeletedIdentifiers()
  @exclusivity(unchecked) private var affected: [(store: StoreCoordinator, rows: AffectedRows)] = []

  /// Adds the rows that a store reports as affected, without the rows that the save itself deletes.
  func note(_ rows: [AffectedRows], by deletions: [SavedChanges.SavedEntity], in store: StoreCoordinator) {
    for var rows in rows {
      for changes in deletions where changes.map.rootMap.entity.name == rows.entity.name {
        rows.deleted.subtract(changes.deletedKeys)
        rows.deleted.subtract(changes.batchDeletedKeys)
      }
      if !rows.changed.isEmpty || !rows.deleted.isEmpty { affected.append((store, rows)) }
    }
  }

  func rows(in store: StoreCoordinator) -> [AffectedRows] { affected.filter { $0.store === store }.map(\.rows) }

  /// The deleted rows, by the name of their entity or of the root of its hierarchy.
  func deleted(in store: StoreCoordinator) -> [String: Set<Int64>] {
    let rows = rows(in: store).filter { !$0.deleted.isEmpty }
    return rows.reduce(into: [:]) { $0[$1.entity.name, default: []].formUnion($1.deleted) }
  }
}

extension SavedChanges {
  /// Updates this context's objects of rows that foreign keys changed. A context is not notified of its own saves.
  func takeInAffected(by store: StoreCoordinator, in context: ModelContext) {
    for rows in affectedRows(of: store) {
      guard let map = context.entityChanges[ObjectIdentifier(rows.entity.modelType)]?.map, map.context != nil else {
        continue
      }
      for key in rows.changed.union(rows.deleted) {
        map.object(for: key).map { context.willTakeIn(map.entity.model($0), in: map) }
      }
      let deletedObjects = DeletedMembers(rows, in: map)
      do {
        try context.receive(RemoteChanges.Rows(rows), in: map)
      } catch {
        store.logger.error("reading what a deletion changed in \(map.entity.name) failed, it is tried again: \(error)")
        context.inbox.putBack(RemoteChanges(RemoteChanges.Rows(rows), of: map.modelType))
      }
      deletedObjects?.release(in: context)
    }
  }
}

extension ModelContext {
  /// Records an object before a remote change updates it, so that the undo of a transaction restores the object.
  func willTakeIn<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    didTouch(model, in: model._$state.pointee.identityMap ?? map)
  }
}

/// Objects whose rows a store deleted by its foreign keys, although lists of the context may still contain the objects.
///
/// The store reports a row as changed only if one of its columns referred to a deleted row. So it does not report the
/// owners of lists, nor of to-one relationships that are stored in the column of their inverse.
struct DeletedMembers {
  private var objects = ObjectSet()
  private let names: Set<String>
  private let store: StoreCoordinator

  /// Nil if the context has no object of the deleted rows. Must be created before these objects are unregistered.
  init?(_ rows: AffectedRows, in map: IdentityMap) {
    for key in rows.deleted.sorted() {
      for object in map.objects(ofRow: key) { objects.insert(object) }
    }
    guard !objects.isEmpty else { return nil }
    names = Set(rows.entity.family.map(\.name))
    store = map.store
  }

  /// Empties every unchanged relationship that contains one of the objects, so that the next access reads it.
  func release(in context: ModelContext) {
    // The root of a hierarchy registers the objects of all classes.
    for changes in context.entityChanges.values where changes.isRoot && changes.map.store === store {
      let map = changes.map
      guard map.entity.family.contains(where: { $0.relationships.contains(where: concerns) }) else { continue }
      for object in map.objectsOfRows() { release(map.entity.model(object), in: map, of: context) }
    }
  }

  private func concerns(_ relationship: RelationshipLayout) -> Bool {
    relationship.storage != .column && names.contains(relationship.destination)
  }

  private func release<T: PersistentModel>(_ model: T, in map: IdentityMap, of context: ModelContext) {
    let state = model._$state
    let own = state.pointee.identityMap ?? map
    guard !model.isDeleted else { return }
    for relationship in own.entity.relationships where concerns(relationship) {
      let position = relationship.position
      guard state.pointee.dirty & PropertyMask.bit(position) == 0,
        !objects.members(of: model._$edit(.read, at: position).objects).isEmpty
      else { continue }
      context.didTouch(model, in: own)
      model._$forgetRead(relationship)
    }
  }
}

/// The identifiers of batch-deleted rows of hierarchies, with the entities of the rows.
///
/// The map of a hierarchy's root has the keys of all its entities, and only the rows themselves name their entities. So
/// the entities are read before the save deletes the rows. Batch-deleted rows of other entities need no read.
struct BatchDeletedIdentifiers {
  private var known: [ObjectIdentifier: [Int64: PersistentIdentifier]] = [:]

  /// Reads the entities of rows that a save is about to delete.
  ///
  /// - Throws: The error of the read.
  mutating func read(_ deletions: [SavedChanges.SavedEntity], in transaction: any StoreTransaction) throws {
    for changes in deletions where changes.map.entity.isPolymorphic && !changes.batchDeletedKeys.isEmpty {
      // The last save of a context posts no identifiers.
      guard changes.map.context != nil else { continue }
      let request = FetchRequest(entity: changes.map.entity, selection: .keys(changes.batchDeletedKeys))
      do {
        let found = try changes.map.store.familyIdentifiers(request, in: changes.map, transaction: transaction)
        known[ObjectIdentifier(changes.map)] = Dictionary(
          found.compactMap { identifier in changes.map.store.key(of: identifier).map { ($0, identifier) } }
        ) { first, _ in first }
      } catch  where ModelContext.kind(of: error) == .corruptValue {
        // A row of an unknown entity can be deleted. Its identifier names the root entity.
        continue
      }
    }
  }

  /// Appends the identifiers of the batch-deleted rows of an entity.
  func append(rowsOf changes: SavedChanges.SavedEntity, to identifiers: inout [PersistentIdentifier]) {
    guard !changes.batchDeletedKeys.isEmpty else { return }
    let found = known[ObjectIdentifier(changes.map)]
    let entity = changes.map.store.storeEntity(of: changes.map.entity)
    identifiers.reserveCapacity(identifiers.count + changes.batchDeletedKeys.count)
    for key in changes.batchDeletedKeys {
      identifiers.append(found?[key] ?? PersistentIdentifier(row: key, of: entity))
    }
  }
}

/// Releases the references of deleted objects to each other.
///
/// Deleted objects that refer to each other in a cycle would stay in memory as long as their context. So they are
/// removed from the lists and optional relationships of other deleted objects. References to living objects and
/// required references stay readable. Only the slots change: no change is recorded, and no inverse is updated.
struct GoneObjects {
  private var queue: ContiguousArray<any PersistentModel>
  /// The deleted objects to remove. In addition, the queue may contain the targets of their required relationships.
  private let leaving: ContiguousArray<any PersistentModel>
  /// The objects of ``leaving`` as a set, created on demand.
  private var knownLeaving: ObjectSet?
  /// The queued objects to which a required relationship of a deleted object refers.
  private var required: Set<ObjectIdentifier> = []

  init(_ objects: ContiguousArray<any PersistentModel>) {
    queue = objects
    leaving = objects
  }

  /// Releases the references of the objects to each other, and to objects that were deleted before.
  mutating func part() {
    var next = 0
    // Targets of required relationships are appended: they may have been deleted earlier, and refer back to the object.
    while next < queue.count {
      part(queue[next], goesNow: next < leaving.count)
      next += 1
    }
  }

  /// - Parameter goesNow: False for the target of a required relationship, which may have been deleted earlier. Such a
  ///   target has already released the objects that were deleted before it.
  private mutating func part(_ object: any PersistentModel, goesNow: Bool) {
    let state = object._$state
    // The undo of a transaction may have restored the object, or it was inserted again.
    guard state.pointee.flags.contains(.gone), let map = state.pointee.identityMap else { return }
    object._$forgetUnlinked()
    for relationship in map.entity.relationships {
      if goesNow || !relationship.isToMany {
        part(map.entity.model(object), from: relationship)
      } else {
        partFromLeaving(map.entity.model(object), at: relationship.position)
      }
    }
  }

  /// Removes the objects that are deleted now from a list of an object that was deleted earlier. If each save deletes
  /// one member of a long list, the state of every other member must not be read at each save.
  private mutating func partFromLeaving<T: PersistentModel>(_ model: T, at position: Int) {
    let leaving = makeLeaving()
    var edit = RelationshipSlotOperation(.remove)
    edit.removal = leaving.members(of: model._$edit(.read, at: position).objects)
    if !edit.removal.isEmpty { model._$relate(&edit, position) }
  }

  private mutating func makeLeaving() -> ObjectSet {
    if let knownLeaving { return knownLeaving }
    var made = ObjectSet()
    // An object that was restored since its deletion stays in lists.
    for model in leaving where model._$state.pointee.flags.contains(.gone) { made.insert(model) }
    knownLeaving = made
    return made
  }

  private mutating func part<T: PersistentModel>(_ model: T, from relationship: RelationshipLayout) {
    let position = relationship.position
    let held = model._$edit(.read, at: position).objects
    // Observers are notified only if the list changes.
    guard held.contains(where: { isGone($0, relationship) }) else { return }
    if relationship.isToMany {
      var edit = RelationshipSlotOperation(.restore)
      edit.objects = held.filter { !isGone($0, relationship) }
      model._$relate(&edit, position)
    } else if relationship.isOptional {
      _ = model._$edit(.clear, at: position)
    } else if let object = held.first, required.insert(ObjectIdentifier(object)).inserted {
      queue.append(EntityLayout.model(object, as: relationship.destinationType))
    }
  }

  /// Whether an object is deleted, or left its context before it had a row.
  private func isGone(_ object: AnyObject, _ relationship: RelationshipLayout) -> Bool {
    let state = EntityLayout.model(object, as: relationship.destinationType)._$state
    return state.pointee.flags.contains(.gone) || state.pointee.identityMap == nil
  }
}

extension GoneObjects {
  /// An object that left its context before it had a row, with its former map.
  typealias Withdrawn = (object: any PersistentModel, map: IdentityMap)

  /// After a failed save, releases the references between new objects that were deleted while their rows were written.
  /// Their deletion kept these references, as the deletion of objects with rows does until the commit.
  static func part(_ withdrawn: [Withdrawn]) {
    guard !withdrawn.isEmpty else { return }
    var objects = GoneObjects([])
    for (object, map) in withdrawn {
      object._$forgetUnlinked()
      for relationship in map.entity.relationships { objects.part(map.entity.model(object), from: relationship) }
    }
  }
}

extension ModelContext {
  /// Records a deleted object, if it may refer to other objects.
  func noteGone(_ model: some PersistentModel, in map: IdentityMap) {
    if map.entity.hasRelationships { gone.append(model) }
  }

  /// Releases the references of deleted objects to each other. In a transaction, the objects keep them until its end,
  /// because an undo restores the objects.
  func partGoneObjects() {
    guard transactionSnapshot == nil, !isUndoing else { return }
    var objects = GoneObjects(gone)
    // The list is emptied first, because observers may save.
    gone = []
    objects.part()
  }
}

extension PersistentModel {
  /// Marks the object as deleted, and unregisters it.
  func _$becomeGone(in map: IdentityMap) {
    let state = _$state
    // The row may be restored, for example by an undo in another context, and then gets another object.
    if state.pointee.isRegistered { map.unregister(self, key: state.pointee.primaryKey) }
    state.pointee.flags.insert(.gone)
    map.context?.noteGone(self, in: map)
  }

  /// Applies pending removals to the lists. Discards the list changes, because they would retain the objects: the lists
  /// may never be read or saved again.
  func _$forgetUnlinked() {
    if _$state.pointee.flags.contains(.stale) { _$flushStale() }
    _$state.pointee.forgetListChanges()
  }
}

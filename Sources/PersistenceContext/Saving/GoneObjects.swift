import PersistenceRuntime
import PersistenceSupport

/// Releases the references of deleted objects to each other.
///
/// A deleted graph with cycles would stay in memory as long as its context. So deleted objects are removed from the
/// lists and optional relationships of other deleted objects. References to living objects stay readable, and so do
/// required ones. Only slots are set: these are no changes, and no inverses are updated.
struct GoneObjects {
  private var queue: ContiguousArray<any PersistentModel>
  /// The objects that are deleted now; the queue may have more.
  private let leaving: ContiguousArray<any PersistentModel>
  /// The same as a set, created on demand.
  private var knownLeaving: ObjectSet?
  /// The queued objects that a deleted one requires.
  private var required: Set<ObjectIdentifier> = []

  init(_ objects: ContiguousArray<any PersistentModel>) {
    queue = objects
    leaving = objects
  }

  /// Releases the references of the objects to each other, and to objects that were deleted before.
  mutating func part() {
    var next = 0
    // Required objects are appended: they may have been deleted before, and refer to the object that requires them.
    while next < queue.count {
      part(queue[next], goesNow: next < leaving.count)
      next += 1
    }
  }

  /// - Parameter goesNow: False for an object that may have been deleted before, and has released the objects deleted
  ///   until then.
  private mutating func part(_ object: any PersistentModel, goesNow: Bool) {
    let state = object._$state
    // An undone transaction may have restored it, or it was inserted again.
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

  /// Removes the objects that are deleted now from a list of an object that was deleted before. The members may be
  /// deleted one by one, each by a save, so the step must not check every other member.
  private mutating func partFromLeaving<T: PersistentModel>(_ model: T, at position: Int) {
    let leaving = makeLeaving()
    var edit = RelationshipSlotOperation(.remove)
    edit.removal = leaving.members(of: model._$edit(.read, at: position).objects)
    if !edit.removal.isEmpty { model._$relate(&edit, position) }
  }

  private mutating func makeLeaving() -> ObjectSet {
    if let knownLeaving { return knownLeaving }
    var made = ObjectSet()
    // Restored objects stay in lists.
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

  /// Releases the references between objects that code deleted while their first rows were written, by a save that
  /// failed. Their deletion treated them like objects with rows, which keep their references until the commit.
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
  /// Notes a deleted object, if it may refer to others.
  func noteGone(_ model: some PersistentModel, in map: IdentityMap) {
    if map.entity.hasRelationships { gone.append(model) }
  }

  /// Releases the references of deleted objects to each other. During a transaction that waits for its end, because an
  /// undo restores them.
  func partGoneObjects() {
    guard !gone.isEmpty, transactionSnapshot == nil, !isUndoing else { return }
    var objects = GoneObjects(gone)
    // Emptied first: observers may save.
    gone = []
    objects.part()
  }
}

extension PersistentModel {
  /// Marks the object as deleted, and unregisters it.
  func _$becomeGone(in map: IdentityMap) {
    let state = _$state
    // The row may be restored, as by an undo in another context. It then has another object.
    if state.pointee.isRegistered { map.unregister(self, key: state.pointee.primaryKey) }
    state.pointee.flags.insert(.gone)
    map.context?.noteGone(self, in: map)
  }

  /// Applies pending removals to the lists, and discards the list changes, which would retain the objects. The lists
  /// may never be read or saved again.
  func _$forgetUnlinked() {
    if _$state.pointee.flags.contains(.stale) { _$flushStale() }
    _$state.pointee.forgetListChanges()
  }
}

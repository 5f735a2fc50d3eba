import PersistenceRuntime

/// Objects whose rows are gone, which let go of each other.
///
/// A graph that was deleted refers to itself: nothing would free it for as long as its context is there. What is gone
/// is therefore in no list and no optional relationship of what is gone too. What lives is still read there, and so is
/// what a required relationship held. None of this is a change: slots are set, and no other end is told.
struct GoneObjects {
  private var queue: ContiguousArray<any PersistentModel>
  /// What goes now, of the queue.
  private let leaving: ContiguousArray<any PersistentModel>
  /// The same by identity, once somebody has asked.
  private var knownLeaving: ObjectSet?
  /// What is in the queue because something that is gone cannot be without it.
  private var required: Set<ObjectIdentifier> = []

  init(_ objects: ContiguousArray<any PersistentModel>) {
    queue = objects
    leaving = objects
  }

  /// Makes the objects let go of each other, and of what went before them.
  mutating func part() {
    var next = 0
    // What is required comes to the end of the queue: it may have gone before, and hold the one that requires it.
    while next < queue.count {
      part(queue[next], goesNow: next < leaving.count)
      next += 1
    }
  }

  /// - Parameter goesNow: False for what may have gone before, and has let go then of all that had gone by that time.
  private mutating func part(_ object: any PersistentModel, goesNow: Bool) {
    let state = object._$state
    // A transaction that was undone has brought it back, or it was inserted anew.
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

  /// Takes what goes now out of a list of an object that went before. Its members may go one after the other, each with
  /// a save of its own, which must not ask each of the others whether it is gone too.
  private mutating func partFromLeaving<T: PersistentModel>(_ model: T, at position: Int) {
    let leaving = makeLeaving()
    var edit = RelationshipSlotOperation(.remove)
    edit.removal = leaving.members(of: model._$edit(.read, at: position).objects)
    if !edit.removal.isEmpty { model._$relate(&edit, position) }
  }

  private mutating func makeLeaving() -> ObjectSet {
    if let knownLeaving { return knownLeaving }
    var made = ObjectSet()
    // What has come back since stays in lists.
    for model in leaving where model._$state.pointee.flags.contains(.gone) { made.insert(model) }
    knownLeaving = made
    return made
  }

  private mutating func part<T: PersistentModel>(_ model: T, from relationship: RelationshipLayout) {
    let position = relationship.position
    let held = model._$edit(.read, at: position).objects
    // Observers are to hear of a list only if it changes.
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

  /// Whether an object has no row any more, or was taken out of its context before it had one.
  private func isGone(_ object: AnyObject, _ relationship: RelationshipLayout) -> Bool {
    let state = EntityLayout.model(object, as: relationship.destinationType)._$state
    return state.pointee.flags.contains(.gone) || state.pointee.identityMap == nil
  }
}

extension GoneObjects {
  /// An object that left its context before it had a row, and the map that it had.
  typealias Withdrawn = (object: any PersistentModel, map: IdentityMap)

  /// Makes objects let go of each other that code deleted while their first rows were written, by a save that failed.
  /// Their deletion took them for objects with rows, which hold each other until those are gone.
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
  /// Notes that the row of an object is gone, if the object may hold others.
  func noteGone(_ model: some PersistentModel, in map: IdentityMap) {
    if map.entity.hasRelationships { gone.append(model) }
  }

  /// Makes what is gone let go of what is gone. In a transaction that waits for its end: undone, it brings everything
  /// back with all that it held.
  func partGoneObjects() {
    guard !gone.isEmpty, transactionSnapshot == nil, !isUndoing else { return }
    var objects = GoneObjects(gone)
    // Before observers hear of it, who may save.
    gone = []
    objects.part()
  }
}

extension PersistentModel {
  /// Makes the object one that has no row any more. Its context does not find it by its key from then on.
  func _$becomeGone(in map: IdentityMap) {
    let state = _$state
    // The row may come back, as undoing in another context brings it, and is then one of another object.
    if state.pointee.isRegistered { map.unregister(self, key: state.pointee.primaryKey) }
    state.pointee.flags.insert(.gone)
    map.context?.noteGone(self, in: map)
  }

  /// Takes out of lists what was unlinked from them, and forgets what a save was to do about them: the lists may
  /// never be read or saved again, and would keep the objects in memory.
  func _$forgetUnlinked() {
    if _$state.pointee.flags.contains(.stale) { _$flushStale() }
    _$state.pointee.forgetListChanges()
  }
}

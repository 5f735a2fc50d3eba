import PersistenceRuntime
import PersistenceSupport

// Changes at the end of a list are found without comparing all of it: appending n objects one by one would take n²
// steps.

extension ListMembers {
  /// Shorter lists are compared completely, which is as fast.
  private static let shortest = 256
  private static let samples = 16

  /// The length of the common prefix of these and a list that differ only in length, by samples; nil if the whole list
  /// has to be compared.
  ///
  /// An insertion or removal before the end moves the last object of the shorter list.
  func commonStart<Destination: PersistentModel>(with list: [Destination]) -> Int? {
    let limit = min(objects.count, list.count)
    guard limit > Self.shortest, objects.count != list.count, objects[limit - 1] === list[limit - 1] else { return nil }
    for index in stride(from: 0, to: limit, by: limit / Self.samples) where objects[index] !== list[index] {
      return nil
    }
    return limit
  }
}

extension PersistentModel {
  /// Updates the inverses after a change at the end of a list; false if the change may be another one.
  ///
  /// One access may change other parts of the list too. The whole list is compared before a save, and after as many
  /// changes as an eighth of its length.
  func _$reconcileEnd<Destination: PersistentModel>(
    _ value: [Destination], _ changes: ListChanges, _ relationship: RelationshipLayout, _ watch: RollbackWatch
  ) -> Bool {
    guard let start = changes.members?.commonStart(with: value), changes.uncomparedSteps < start / 8,
      _$canFollow(value[start...], changes)
    else { return false }
    if changes.uncomparedSteps == 0 { _$compareLater(changes) }
    changes.uncomparedSteps += 1
    if value.count > start {
      _$followGrowth(of: value, from: start, changes, relationship, watch)
    } else {
      _$followLoss(from: start, changes, relationship, Destination.self)
    }
    return true
  }

  /// Whether an appended object needs no admission and is not in the list already.
  private func _$canFollow<Destination: PersistentModel>(
    _ arrived: ArraySlice<Destination>, _ changes: ListChanges
  ) -> Bool {
    guard let first = arrived.first else { return true }
    // Several objects need the full comparison.
    guard arrived.count == 1, changes.members?.contains(first) == false else { return false }
    // An actor that runs elsewhere must not be read before its jobs are moved here.
    guard first._$isHere else { return false }
    guard let context = _$state.pointee.identityMap?.context, let map = first._$state.pointee.identityMap else {
      return true
    }
    return map.context === context
  }

  private func _$followGrowth<Destination: PersistentModel>(
    of value: [Destination], from start: Int, _ changes: ListChanges, _ relationship: RelationshipLayout,
    _ watch: RollbackWatch
  ) {
    let keepsPairs = _$keepsPairs(at: relationship.position)
    changes.noteMove(from: start)
    for member in value[start...] {
      _ = _$admit(member, at: changes.position)
      changes.members?.append(member)
      if keepsPairs { changes.noteAddition(of: member) }
      _$link(member, relationship, watch)
      _$join(member, among: value, at: changes.position)
    }
  }

  private func _$followLoss<Destination: PersistentModel>(
    from start: Int, _ changes: ListChanges, _ relationship: RelationshipLayout, _ type: Destination.Type
  ) {
    guard let lost = changes.members.map({ ContiguousArray($0.objects[start...]) }) else { return }
    let keepsPairs = _$keepsPairs(at: relationship.position)
    changes.members?.removeLast(lost.count)
    // A removal moves the beginning of a pending order.
    if changes.firstMoved != .max { changes.noteMove(from: start) }
    for object in lost {
      if keepsPairs { changes.noteRemoval(of: object) }
      _$unlink(unsafeDowncast(object, to: Destination.self), relationship)
    }
  }

  // MARK: Comparing

  private func _$compareLater(_ changes: ListChanges) {
    _$state.pointee.identityMap?.context?.uncomparedLists.append((self, changes.position))
  }

  /// Compares a list with its known members, and updates the inverses by the difference.
  func _$compareList(at position: Int) {
    guard let changes = _$state.pointee.extras?.list(at: position), changes.uncomparedSteps > 0 else { return }
    changes.uncomparedSteps = 0
    _$applyLinks()
    let held = _$edit(.read, at: position)
    guard held.isLoaded, let known = changes.members?.objects, !known.isSame(as: held.objects) else { return }
    var edit = RelationshipSlotOperation(.fill)
    edit.objects = known
    _$relate(&edit, position)
    _$setModels(held.objects, at: position)
  }

  /// Sets a to-many relationship through its property.
  private func _$setModels(_ objects: ContiguousArray<AnyObject>, at position: Int) {
    guard let relationship = _$relationship(at: position),
      let keyPath = _$state.pointee.identityMap?.entity.properties[position].keyPath
    else { return }
    func set<Destination: PersistentModel>(_ type: Destination.Type) {
      let value = objects.map { unsafeDowncast($0, to: Destination.self) }
      if let path = keyPath as? ReferenceWritableKeyPath<Self, [Destination]> { self[keyPath: path] = value }
      if let path = keyPath as? ReferenceWritableKeyPath<Self, [Destination]?> { self[keyPath: path] = value }
    }
    set(relationship.destinationType)
  }
}

extension ModelContext {
  /// Compares the lists of which only the ends were compared when they changed.
  func compareLists() {
    let lists = uncomparedLists
    uncomparedLists = []
    for (model, position) in lists { compare(model, at: position) }
  }

  private func compare<Model: PersistentModel>(_ model: Model, at position: Int) {
    guard model._$state.pointee.identityMap?.context === self else { return }
    model._$compareList(at: position)
  }
}

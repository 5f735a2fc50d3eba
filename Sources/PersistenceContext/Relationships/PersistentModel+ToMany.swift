import PersistenceRuntime
import PersistenceSupport

// The accessors of to-many relationships resolve to these overloads.

extension PersistentModel {
  /// For generated code.
  @inlinable
  public func _$isUntracked<Destination: PersistentModel>(
    _ keyPath: @autoclosure () -> KeyPath<Self, [Destination]>
  ) -> Bool {
    _$hasAppliedLinks && !isReadingTracked()
  }

  /// For generated code.
  @inlinable
  public func _$isUntracked<Destination: PersistentModel>(
    _ keyPath: @autoclosure () -> KeyPath<Self, [Destination]?>
  ) -> Bool {
    _$hasAppliedLinks && !isReadingTracked()
  }

  /// For generated code.
  @inlinable
  public func _$access<Destination: PersistentModel>(_ keyPath: @autoclosure () -> KeyPath<Self, [Destination]>) {
    _$applyLinks()
    if isReadingTracked() { _$noteAccess(keyPath()) }
  }

  /// For generated code.
  @inlinable
  public func _$access<Destination: PersistentModel>(_ keyPath: @autoclosure () -> KeyPath<Self, [Destination]?>) {
    _$applyLinks()
    if isReadingTracked() { _$noteAccess(keyPath()) }
  }

  /// Sets a to-many relationship and its inverses. For generated code.
  public func _$assign<Destination: PersistentModel>(
    _ value: [Destination], at position: Int, keyPath: @autoclosure () -> KeyPath<Self, [Destination]>,
    slot: () -> _PersistenceRuntime.Slot<[Destination]>, store: ([Destination]) -> Void
  ) {
    _$applyLinks()
    let old = _$known(slot()) { _$resolve(position, slot: slot, store: store) }
    guard !_$refusesChange(at: position) else { return }
    _$replace(old ?? [], by: value, at: position) { members in
      _$withMutation(keyPath()) {
        _$markAgain(position)
        store(members)
      }
    }
  }

  /// Sets an optional to-many relationship and its inverses. For generated code.
  public func _$assign<Destination: PersistentModel>(
    _ value: [Destination]?, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, [Destination]?>,
    slot: () -> _PersistenceRuntime.Slot<[Destination]?>, store: ([Destination]?) -> Void
  ) {
    _$applyLinks()
    let old = _$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? nil
    guard !_$refusesChange(at: position) else { return }
    _$replace(old ?? [], by: value ?? [], at: position) { members in
      _$withMutation(keyPath()) {
        _$markAgain(position)
        store(value == nil ? nil : members)
      }
    }
  }

  private func _$replace<Destination: PersistentModel>(
    _ old: [Destination], by new: [Destination], at position: Int, store: ([Destination]) -> Void
  ) {
    guard let relationship = _$relationship(at: position), !isDeleted else {
      _$willChange(position)
      return store(new)
    }
    guard let admitted = _$admitAll(new, at: position) else { return }
    _$willChange(position)
    let changes = _$state.pointee.listChanges(at: position)
    var reconciliation = ListReconciliation(old: ContiguousArray(sharing: old), new: admitted)
    reconciliation.dropRepetitions(in: &changes.members)
    store(reconciliation.new)
    // An observer may have saved, which forgets the list changes.
    let current = _$isObserved ? _$state.pointee.listChanges(at: position) : changes
    current.members = nil
    _$follow(reconciliation, current, relationship)
  }

  // MARK: In-place changes

  /// For generated code.
  public func _$willModify<Destination: PersistentModel>(
    _ position: Int, keyPath: KeyPath<Self, [Destination]>, _ value: [Destination]
  ) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepMembers(value, at: position)
    return _$beginModification(position, keyPath: keyPath)
  }

  /// For generated code.
  public func _$willModify<Destination: PersistentModel>(
    _ position: Int, keyPath: KeyPath<Self, [Destination]?>, _ value: [Destination]?
  ) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepMembers(value ?? [], at: position)
    return _$beginModification(position, keyPath: keyPath)
  }

  /// The accepted members after an in-place change, each once. For generated code.
  public func _$accept<Destination: PersistentModel>(_ value: [Destination], at position: Int) -> [Destination] {
    _$reconcile(value, at: position)
  }

  /// For generated code.
  public func _$accept<Destination: PersistentModel>(_ value: [Destination]?, at position: Int) -> [Destination]? {
    let kept = _$reconcile(value ?? [], at: position)
    return value == nil ? nil : kept
  }

  private func _$reconcile<Destination: PersistentModel>(_ value: [Destination], at position: Int) -> [Destination] {
    guard let relationship = _$relationship(at: position), !isDeleted, !_$isRefused(position) else { return value }
    if _$state.pointee.dirty & PropertyMask.bit(position) == 0 { _$changeAgain(position) }
    let changes = _$state.pointee.listChanges(at: position)
    if changes.members == nil { _$rememberMembers(changes, relationship) }
    let wasAlone = _$state.pointee.identityMap == nil
    let kept = _$reconcile(value, changes, relationship)
    return wasAlone ? _$joinedMembers(kept, changes) : kept
  }

  private func _$reconcile<Destination: PersistentModel>(
    _ value: [Destination], _ changes: ListChanges, _ relationship: RelationshipLayout
  ) -> [Destination] {
    if _$reconcileEnd(value, changes, relationship) { return value }
    changes.uncomparedSteps = 0
    var reconciliation = ListReconciliation(old: changes.members?.objects ?? [], new: value)
    guard !reconciliation.isUnchanged else { return value }
    reconciliation.replaceAdditions { _$admit($0, at: changes.position) }
    reconciliation.dropRepetitions(in: &changes.members)
    reconciliation.forgetOld()
    changes.members?.replace(reconciliation.oldRange, with: reconciliation.arrived)
    _$follow(reconciliation, changes, relationship)
    return reconciliation.new
  }

  /// The members of a list whose owner was inserted by one of them. Objects of other contexts were replaced by those of
  /// the owner's context.
  private func _$joinedMembers<Destination: PersistentModel>(
    _ members: [Destination], _ changes: ListChanges
  ) -> [Destination] {
    guard _$state.pointee.identityMap != nil else { return members }
    let held = _$edit(.read, at: changes.position)
    guard held.isLoaded, !held.objects.elementsEqual(members, by: { $0 === $1 }) else { return members }
    changes.members = ListMembers(held.objects)
    return held.objects.map { unsafeDowncast($0, to: Destination.self) }
  }

  /// Keeps the members apart from the array: a shared array would be copied by the change.
  private func _$keepMembers<Destination: PersistentModel>(_ value: [Destination], at position: Int) {
    let changes = _$state.pointee.listChanges(at: position)
    if changes.members == nil { changes.members = ListMembers(ContiguousArray(sharing: value)) }
  }

  /// Makes an in-place change one of the present members: code of the access has discarded those from before it, as a
  /// rollback does, or has set the relationship.
  private func _$rememberMembers(_ changes: ListChanges, _ relationship: RelationshipLayout) {
    if let map = _$state.pointee.identityMap, _$state.pointee.primaryKey != 0 {
      _ = _$relatedModels(relationship, in: map)
    }
    changes.members = ListMembers(_$edit(.read, at: relationship.position).objects)
  }

  /// Updates the inverses of added and removed objects.
  private func _$follow<Destination: PersistentModel>(
    _ reconciliation: ListReconciliation<Destination>, _ changes: ListChanges, _ relationship: RelationshipLayout
  ) {
    // A removal moves the beginning of a pending order.
    if reconciliation.mayHaveMoved || changes.firstMoved != .max {
      changes.noteMove(from: reconciliation.oldRange.lowerBound)
    }
    // All before the first inverse: an observer of it may save.
    if _$keepsPairs(at: relationship.position) {
      for object in reconciliation.removed { changes.noteRemoval(of: object) }
      for object in reconciliation.added { changes.noteAddition(of: object) }
    }
    for object in reconciliation.removed {
      _$unlink(unsafeDowncast(object, to: Destination.self), relationship)
    }
    for object in reconciliation.added {
      _$link(unsafeDowncast(object, to: Destination.self), relationship)
    }
    // After all inverses are updated, because the insertion follows the relationships of the object.
    guard _$state.pointee.identityMap == nil else { return }
    for object in reconciliation.added {
      let member = unsafeDowncast(object, to: Destination.self)
      _$join(member, among: reconciliation.new, at: relationship.position)
    }
  }

  private func _$admitAll<Destination: PersistentModel>(_ value: [Destination], at position: Int) -> [Destination]? {
    let admitted = value.compactMap { _$admit($0, at: position) }
    return admitted.count == value.count ? admitted : nil
  }
}

import Observation
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
    _$replace(by: value, at: position) {
      _$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? []
    } notify: {
      $0 ? $1.willSet(self, keyPath: keyPath()) : $1.didSet(self, keyPath: keyPath())
    } store: {
      store($0)
    }
  }

  /// Sets an optional to-many relationship and its inverses. For generated code.
  public func _$assign<Destination: PersistentModel>(
    _ value: [Destination]?, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, [Destination]?>,
    slot: () -> _PersistenceRuntime.Slot<[Destination]?>, store: ([Destination]?) -> Void
  ) {
    _$replace(by: value ?? [], at: position) {
      (_$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? nil) ?? []
    } notify: {
      $0 ? $1.willSet(self, keyPath: keyPath()) : $1.didSet(self, keyPath: keyPath())
    } store: {
      store(value == nil ? nil : $0)
    }
  }

  /// Replaces the members, once more after each rollback by an observer of one of the ends.
  ///
  /// - Parameters:
  ///   - present: Reads the members.
  ///   - notify: Notifies the observers of a registrar, before or after the change.
  private func _$replace<Destination: PersistentModel>(
    by value: [Destination], at position: Int, present: () -> [Destination],
    notify: (_ isBefore: Bool, ObservationRegistrar) -> Void, store: ([Destination]) -> Void
  ) {
    var watch = RollbackWatch(of: self)
    repeat {
      watch.begin()
      _$applyLinks()
      let old = present()
      guard !_$refusesChange(at: position) else { return }
      guard _$relationship(at: position) != nil, !isDeleted else {
        let registrar = _$state.pointee.observation?.registrar
        _$willChange(position)
        if let registrar { notify(true, registrar) }
        _$markAgain(position)
        store(value)
        if let registrar { notify(false, registrar) }
        return
      }
      guard let admitted = _$admitAll(value, at: position) else { return }
      _$willChange(position)
      // What was read and admitted may be outdated then.
      let readsAgain = _$isObserved || watch.isRepeated
      let registrar = _$state.pointee.observation?.registrar
      if let registrar { notify(true, registrar) }
      let reconciliation =
        readsAgain ? _$reconciliation(with: value, at: position, present) : _$reconciliation(old, admitted, position)
      store(reconciliation?.new ?? value)
      if let registrar { notify(false, registrar) }
      watch.note()
      guard let reconciliation, let relationship = _$relationship(at: position) else { return }
      let changes = _$state.pointee.listChanges(at: position)
      changes.members = nil
      _$follow(reconciliation, changes, relationship, watch)
    } while watch.mustRepeat
  }

  /// The difference between the present and the new members, after observers were notified: they may have saved, rolled
  /// back, or set the relationship. Nil if no inverse is to be updated any more.
  private func _$reconciliation<Destination: PersistentModel>(
    with value: [Destination], at position: Int, _ present: () -> [Destination]
  ) -> ListReconciliation<Destination>? {
    _$applyLinks()
    _$markAgain(position)
    guard _$relationship(at: position) != nil, !isDeleted else { return nil }
    // A refused member is left out. The next save throws.
    let admitted = value.compactMap { _$admit($0, at: position) }
    return _$reconciliation(present(), admitted, position)
  }

  private func _$reconciliation<Destination: PersistentModel>(
    _ old: [Destination], _ new: [Destination], _ position: Int
  ) -> ListReconciliation<Destination> {
    var reconciliation = ListReconciliation(old: ContiguousArray(sharing: old), new: new)
    reconciliation.dropRepetitions(in: &_$state.pointee.listChanges(at: position).members)
    return reconciliation
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
    guard _$relationship(at: position) != nil, !isDeleted, !_$isRefused(position) else { return value }
    let wasAlone = _$state.pointee.identityMap == nil
    var watch = RollbackWatch(of: self)
    var kept = value
    repeat {
      watch.begin()
      guard let relationship = _$relationship(at: position) else { return value }
      if _$state.pointee.dirty & PropertyMask.bit(position) == 0 { _$changeAgain(position) }
      let changes = _$state.pointee.listChanges(at: position)
      if changes.members == nil { _$rememberMembers(changes, relationship) }
      kept = _$reconcile(value, changes, relationship, watch)
    } while watch.mustRepeat
    return wasAlone ? _$joinedMembers(kept, _$state.pointee.listChanges(at: position)) : kept
  }

  private func _$reconcile<Destination: PersistentModel>(
    _ value: [Destination], _ changes: ListChanges, _ relationship: RelationshipLayout, _ watch: RollbackWatch
  ) -> [Destination] {
    if _$reconcileEnd(value, changes, relationship, watch) { return value }
    changes.uncomparedSteps = 0
    var reconciliation = ListReconciliation(old: changes.members?.objects ?? [], new: value)
    guard !reconciliation.isUnchanged else { return value }
    reconciliation.replaceAdditions { _$admit($0, at: changes.position) }
    reconciliation.dropRepetitions(in: &changes.members)
    reconciliation.forgetOld()
    changes.members?.replace(reconciliation.oldRange, with: reconciliation.arrived)
    _$follow(reconciliation, changes, relationship, watch)
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
    _ reconciliation: ListReconciliation<Destination>, _ changes: ListChanges, _ relationship: RelationshipLayout,
    _ watch: RollbackWatch
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
    for object in reconciliation.removed where !watch.hasRolledBack {
      _$unlink(unsafeDowncast(object, to: Destination.self), relationship)
    }
    for object in reconciliation.added where !watch.hasRolledBack {
      _$link(unsafeDowncast(object, to: Destination.self), relationship, watch)
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

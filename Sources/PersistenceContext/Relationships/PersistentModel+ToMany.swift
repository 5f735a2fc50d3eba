import Observation
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// The compiler resolves the accessors of to-many relationships to these overloads.

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

  /// Sets the members of a to-many relationship, and updates the inverses.
  ///
  /// - Parameters:
  ///   - present: Reads the present members.
  ///   - notify: Notifies the observers of a registrar, before or after the change.
  private func _$replace<Destination: PersistentModel>(
    by value: [Destination], at position: Int, present: () -> [Destination],
    notify: (_ isBefore: Bool, ObservationRegistrar) -> Void, store: ([Destination]) -> Void
  ) {
    _$applyLinks()
    let old = present()
    guard !_$refusesChange(at: position) else { return }
    let registrar = _$state.pointee.observation?.registrar
    guard _$relationship(at: position) != nil, !isDeleted else {
      _$willChange(position)
      if let registrar { notify(true, registrar) }
      _$markAgain(position)
      store(value)
      if let registrar { notify(false, registrar) }
      return
    }
    guard let admitted = _$admitAll(value, at: position) else { return }
    _$willChange(position)
    if let registrar { notify(true, registrar) }
    // Observers that ran since the list was read may have changed it. The read itself may have notified observers.
    var reconciliation =
      osd_is_observed()
      ? _$reconciliation(with: value, at: position, present) : _$reconciliation(old, admitted, position)
    var ends = AnnouncedEnds()
    while osd_is_observed(), let known = reconciliation, let relationship = _$relationship(at: position),
      _$announce(&ends, leaving: known.removed, entering: known.added, relationship)
    {
      reconciliation = _$reconciliation(with: value, at: position, present)
    }
    store(reconciliation?.new ?? value)
    if let reconciliation, let relationship = _$relationship(at: position) {
      let changes = _$state.pointee.listChanges(at: position)
      changes.members = nil
      _$follow(reconciliation, changes, relationship, ends)
    }
    if let registrar { notify(false, registrar) }
    ends.conclude()
  }

  /// Compares the present with the new members again after observers ran: they may have saved, rolled back, or set the
  /// relationship. Returns nil if no inverse needs an update any more.
  private func _$reconciliation<Destination: PersistentModel>(
    with value: [Destination], at position: Int, _ present: () -> [Destination]
  ) -> ListReconciliation<Destination>? {
    _$applyLinks()
    _$markAgain(position)
    guard _$relationship(at: position) != nil, !isDeleted else { return nil }
    // A rejected member is left out. The next save throws.
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
    _$beginListModification(position, keyPath, value)
  }

  /// For generated code.
  public func _$willModify<Destination: PersistentModel>(
    _ position: Int, keyPath: KeyPath<Self, [Destination]?>, _ value: [Destination]?
  ) -> Bool {
    _$beginListModification(position, keyPath, value ?? [])
  }

  private func _$beginListModification<Destination: PersistentModel, Value>(
    _ position: Int, _ keyPath: KeyPath<Self, Value>, _ value: [Destination]
  ) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepMembers(value, at: position)
    guard _$beginModification(position, keyPath: keyPath) else { return false }
    _$keepPresentMembers(at: position)
    return true
  }

  /// Returns the members to store after an in-place change, without duplicates and invalid ones. For generated code.
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
    var (kept, ends) = (value, AnnouncedEnds())
    if osd_is_observed() { _$admitArrivals(value, at: position) }
    while let relationship = _$relationship(at: position), !isDeleted {
      if _$state.pointee.dirty & PropertyMask.bit(position) == 0 { _$changeAgain(position) }
      let changes = _$state.pointee.listChanges(at: position)
      if changes.members == nil { _$rememberMembers(changes, relationship) }
      if let result = _$reconcile(value, changes, relationship, &ends) {
        kept = result
        break
      }
      // The slot was filled, so that observers could read the list. The in-place change needs an empty slot again.
      _$keepPresentMembers(at: position)
      _ = _$edit(.release, at: position)
    }
    if wasAlone { kept = _$joinedMembers(kept, _$state.pointee.listChanges(at: position)) }
    guard !ends.isEmpty else { return kept }
    _$fill(ContiguousArray(sharing: kept), at: position)
    ends.conclude()
    if _$isDirty(position) { _$keepPresentMembers(at: position) }
    let held = _$edit(.read, at: position).objects
    if held.isSame(as: ContiguousArray(sharing: kept)) { return kept }
    return held.map { unsafeDowncast($0, to: Destination.self) }
  }

  /// Inserts new members of a list that was changed in place, before the inverses of the list are updated. The
  /// insertion also links relationships that the members' initialisers set, which may notify observers.
  private func _$admitArrivals<Destination: PersistentModel>(_ value: [Destination], at position: Int) {
    guard _$state.pointee.identityMap != nil else { return }
    let members = _$state.pointee.listChanges(at: position).members
    let start = members.map { $0.commonStart(with: value) ?? $0.objects.commonPrefix(with: value) } ?? 0
    for member in value[start...] where member._$isHere && member._$state.pointee.identityMap == nil {
      _ = _$admit(member, at: position)
    }
  }

  /// Updates the inverses after an in-place change. Returns nil if it only notified the observers of the inverses, and
  /// has to be called again. Like observers of an assignment, these observers still read the former members.
  private func _$reconcile<Destination: PersistentModel>(
    _ value: [Destination], _ changes: ListChanges, _ relationship: RelationshipLayout, _ ends: inout AnnouncedEnds
  ) -> [Destination]? {
    if let start = _$changedEnd(of: value, changes) {
      if osd_is_observed(), let former = changes.members?.objects {
        let arrived = ContiguousArray(value[start...].lazy.map { $0 as AnyObject })
        if _$announce(
          &ends, leaving: ContiguousArray(former[start...]), entering: arrived, relationship,
          { _$fill(former, at: changes.position) })
        {
          return nil
        }
      }
      _$reconcileEnd(value, from: start, changes, relationship, ends)
      return value
    }
    changes.uncomparedSteps = 0
    var reconciliation = ListReconciliation(old: changes.members?.objects ?? [], new: value)
    guard !reconciliation.isUnchanged else { return value }
    reconciliation.replaceAdditions { _$admit($0, at: changes.position) }
    reconciliation.dropRepetitions(in: &changes.members)
    if _$announce(
      &ends, leaving: reconciliation.removed, entering: reconciliation.added, relationship,
      { _$fill(changes.members?.objects ?? [], at: changes.position) })
    {
      return nil
    }
    reconciliation.forgetOld()
    changes.members?.replace(reconciliation.oldRange, with: reconciliation.arrived)
    _$follow(reconciliation, changes, relationship, ends)
    return reconciliation.new
  }

  /// Returns the members of a list after the owner was inserted into the context of one member. The insertion may have
  /// replaced members of other contexts by objects of this context.
  private func _$joinedMembers<Destination: PersistentModel>(
    _ members: [Destination], _ changes: ListChanges
  ) -> [Destination] {
    guard _$state.pointee.identityMap != nil else { return members }
    let held = _$edit(.read, at: changes.position)
    guard held.isLoaded, !held.objects.elementsEqual(members, by: { $0 === $1 }) else { return members }
    changes.members = ListMembers(held.objects)
    return held.objects.map { unsafeDowncast($0, to: Destination.self) }
  }

  /// Copies the members before an in-place change. With a second reference to the array, the change would copy it.
  private func _$keepMembers<Destination: PersistentModel>(_ value: [Destination], at position: Int) {
    let changes = _$state.pointee.listChanges(at: position)
    if changes.members == nil { changes.members = ListMembers(ContiguousArray(sharing: value)) }
  }

  /// Copies the members after observers ran. Later links and unlinks are recorded in the list changes.
  private func _$keepPresentMembers(at position: Int) {
    guard let relationship = _$relationship(at: position), !isDeleted else { return }
    _$applyLinks()
    let changes = _$state.pointee.listChanges(at: position)
    if changes.members == nil { _$rememberMembers(changes, relationship) }
  }

  /// Copies the present members again as the former members of an in-place change. Code that ran during the change has
  /// discarded the first copy, for example by a rollback or by setting the relationship.
  private func _$rememberMembers(_ changes: ListChanges, _ relationship: RelationshipLayout) {
    if let map = _$state.pointee.identityMap, _$state.pointee.primaryKey != 0 {
      _ = _$relatedModels(relationship, in: map)
    }
    changes.members = ListMembers(_$edit(.read, at: relationship.position).objects)
  }

  /// Updates the inverses of added and removed objects.
  private func _$follow<Destination: PersistentModel>(
    _ reconciliation: ListReconciliation<Destination>, _ changes: ListChanges, _ relationship: RelationshipLayout,
    _ ends: AnnouncedEnds
  ) {
    // After a removal, the recorded index of the first moved member may be too high.
    if reconciliation.mayHaveMoved || changes.firstMoved != .max {
      changes.noteMove(from: reconciliation.oldRange.lowerBound)
    }
    if _$keepsPairs(at: relationship.position) {
      for object in reconciliation.removed { changes.noteRemoval(of: object) }
      for object in reconciliation.added { changes.noteAddition(of: object) }
    }
    ends.apply {
      for object in reconciliation.removed { _$unlink(unsafeDowncast(object, to: Destination.self), relationship) }
      for object in reconciliation.added { _$link(unsafeDowncast(object, to: Destination.self), relationship) }
    }
    // This object is inserted after its inverses are updated, because the insertion also inserts related objects.
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

// Code that runs during an in-place change, such as the closure of `trip.stops.removeAll { … }`, may use the context:
// it may save, roll back, or read the property. Meanwhile the value is not in its slot. The change is made when the
// access ends.

extension PersistentModel {
  /// The members of a to-many relationship whose slot is empty because the relationship is being changed in place; nil
  /// if the slot is empty for another reason.
  ///
  /// These are the members before the change, plus objects linked since then, minus objects unlinked or deleted.
  func _$modifiedMembers(at position: Int) -> ContiguousArray<AnyObject>? {
    guard let list = _$state.pointee.extras?.list(at: position), let former = list.members?.objects,
      let map = _$state.pointee.identityMap, map.context != nil,
      let relationship = map.entity.relationship(at: position)
    else { return nil }
    var members: ContiguousArray<AnyObject> = []
    for member in former
    where !list.removed.contains(member) && !EntityLayout.model(member, as: relationship.destinationType).isDeleted {
      members.append(member)
    }
    return members + list.added.objects(besides: members)
  }

  /// The objects of a loaded relationship, including a list that is being changed in place.
  func _$heldMembers(at position: Int) -> ContiguousArray<AnyObject> {
    let edit = _$edit(.read, at: position)
    return edit.isLoaded ? edit.objects : _$modifiedMembers(at: position) ?? []
  }

  /// Marks lists that are being changed in place as pending, after a save has written their former members.
  ///
  /// - Returns: The mask of these relationships.
  func _$postponeModifiedLists() -> UInt64 {
    var mask: UInt64 = 0
    for list in _$state.pointee.extras?.lists ?? []
    where list.members != nil && !_$edit(.find, at: list.position).isLoaded {
      guard let members = _$modifiedMembers(at: list.position), let relationship = _$relationship(at: list.position)
      else { continue }
      // Members without a row get a row with the next save.
      let written = ContiguousArray(
        members.filter {
          EntityLayout.model($0, as: relationship.destinationType)._$state.pointee.primaryKey != 0
        })
      _$state.pointee.identityMap?.ownContext?.postpone(self, at: list.position, besides: written)
      mask |= PropertyMask.bit(list.position)
    }
    return mask
  }

  /// Whether a to-one relationship is being changed in place. A read must not fill its slot meanwhile: otherwise a save
  /// would write the object in the slot.
  var _$modifiesReferences: Bool { _$state.pointee.extras?.modified.isEmpty == false }

  /// The value of an attribute before its pending changes; nil if it is unknown.
  func _$originalValue<Value>(at position: Int) -> Value? {
    guard let originals = _$state.pointee.identityMap?.changes?.originals, !originals.isEmpty else { return nil }
    return originals.grouped()[ObjectIdentifier(self)]?[position] as? Value
  }

  /// Whether a property has pending changes. If its slot is also empty, the property is being changed in place.
  func _$isDirty(_ position: Int) -> Bool {
    _$state.pointee.dirty & PropertyMask.bit(position) != 0
  }

  /// Marks a property as changed at the end of an in-place change, if code that ran meanwhile saved or rolled back.
  @usableFromInline
  func _$changeAgain(_ position: Int) {
    let state = _$state
    guard let map = state.pointee.identityMap, map.context != nil, !state.pointee.flags.contains(.gone),
      !_$isRefused(position)
    else { return }
    let property = map.entity.properties[position]
    if !property.isRelationship, state.pointee.primaryKey != 0, let value = self[keyPath: property.keyPath] {
      _$noteOriginal(value, at: position)
    }
    _$willChange(position)
  }

  /// Marks a property as changed again, if an observer that was notified before the change saved or rolled back.
  ///
  /// - Returns: Whether an observer saved or rolled back.
  @discardableResult
  func _$markAgain(_ position: Int) -> Bool {
    guard _$state.pointee.identityMap != nil, !_$isDirty(position) else { return false }
    _$keepOriginalReference(at: position)
    _$changeAgain(position)
    return true
  }
}

/// Detects rollbacks by observers during an insertion or a deletion.
///
/// A rollback discards the sides of relationships that are already set, but not the sides that are set afterwards. So
/// the insertion or deletion is repeated on the restored state, and takes effect after the rollback (decision 52).
struct RollbackWatch {
  /// The maximum number of attempts, because an observer that registers itself again may roll back each time.
  private static let mostAttempts = 8

  private let context: ModelContext?
  private var count = 0
  private var attempts = 0

  init(in context: ModelContext?) { self.context = context }

  mutating func begin() {
    attempts += 1
    count = context?.rollbackCount ?? 0
  }

  /// Whether the change must be repeated.
  var mustRepeat: Bool {
    guard let context, context.rollbackCount != count else { return false }
    guard attempts < Self.mostAttempts else {
      context.logger.error(
        """
        observers rolled back \(attempts) times while a relationship was changed: its ends may not agree until the next \
        rollback
        """)
      return false
    }
    return true
  }
}

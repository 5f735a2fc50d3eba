import PersistenceRuntime
import PersistenceSupport

// Both ends of a relationship always agree: a change of one end changes its inverse here.

extension PersistentModel {
  /// The layout of a relationship, of the context's schema or, for an object without a context, of its class.
  func _$relationship(at position: Int) -> RelationshipLayout? {
    if let map = _$state.pointee.identityMap { return map.entity.relationship(at: position) }
    return UnboundLayouts.layout(of: type(of: self))?.relationship(at: position)
  }

  func _$edit(_ kind: RelationshipSlotOperation.Kind, _ object: AnyObject? = nil, at position: Int)
    -> RelationshipSlotOperation
  {
    var edit = RelationshipSlotOperation(kind, object)
    _$relate(&edit, position)
    return edit
  }

  /// Adds this object to the inverse of a relationship.
  func _$link<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) {
    guard _$mayUse(other) else { return _$postponeLinks() }
    guard let inverse = relationship.inverse else { return _$noteReference() }
    guard !other.isDeleted, !_$isBothEnds(other, relationship) else { return }
    if inverse.isToMany {
      other._$receive(self, at: inverse.position)
    } else {
      other._$take(self, at: inverse.position, from: relationship)
    }
  }

  /// Adds this object to the inverse of a relationship. In a repeated change the inverse may have it already.
  func _$link<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout, _ watch: RollbackWatch) {
    if watch.isRepeated, let inverse = relationship.inverse, inverse.isToMany, _$mayUse(other) {
      if other._$state.pointee.flags.contains(.stale) { other._$flushStale() }
      if other._$edit(.find, self, at: inverse.position).isFound { return }
    }
    _$link(other, relationship)
  }

  /// Invalidates the index of one-way references.
  func _$noteReference() { _$state.pointee.identityMap?.context?.referrers.forget() }

  /// Removes this object from the inverse of a relationship. An object that may not be used here has no link yet.
  func _$unlink<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) {
    guard _$mayUse(other) else { return }
    guard let inverse = relationship.inverse, !other.isDeleted, !_$isBothEnds(other, relationship) else { return }
    if inverse.isToMany {
      other._$lose(self, at: inverse.position)
    } else {
      other._$release(self, at: inverse)
    }
  }

  /// Whether an object is related to itself by a relationship that is its own inverse.
  private func _$isBothEnds<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) -> Bool {
    other === self && relationship.isSymmetric
  }

  // MARK: A to-one end

  /// Sets the to-one end to another object, and removes this object from the previous one.
  private func _$take(_ owner: some PersistentModel, at position: Int, from relationship: RelationshipLayout) {
    let previous = _$relatedObject(at: position)
    guard previous !== owner else {
      // The lost object was set again.
      _$state.pointee.identityMap?.context?.orphans.remove(self, at: position)
      return
    }
    _$keepOriginalReference(at: position)
    _$willChange(position)
    let edit = _$edit(.set, owner, at: position)
    _$keepMark(position)
    guard let previous = _$replaced(previous, by: edit, at: position), previous !== owner else { return }
    _$leave(previous, relationship)
  }

  /// Removes this object from the relationship of a previous owner.
  private func _$leave(_ previous: any PersistentModel, _ relationship: RelationshipLayout) {
    if relationship.isToMany {
      previous._$lose(self, at: relationship.position)
    } else if !previous.isDeleted {
      previous._$release(self, at: relationship.position, isOptional: relationship.isOptional)
    }
  }

  /// The object that a change of a to-one end replaced. It is not the one from before if an observer of the end has set it,
  /// or rolled back.
  private func _$replaced(
    _ known: (any PersistentModel)?, by edit: RelationshipSlotOperation, at position: Int
  ) -> (any PersistentModel)? {
    guard _$isObserved, Self._$isGenerated, let relationship = _$relationship(at: position) else { return known }
    return edit.replaced.map { EntityLayout.model($0, as: relationship.destinationType) }
  }

  private func _$release(_ owner: some PersistentModel, at inverse: RelationshipLayout.Inverse) {
    // If the end cannot be read, it is assumed to hold the object. No save writes it before it is read.
    let held = _$relatedObject(at: inverse.position)
    guard held === owner || _$state.pointee.failedRead(at: inverse.position) != nil else { return }
    _$release(owner, at: inverse.position, isOptional: inverse.isOptional)
  }

  /// Clears the to-one end. A required one keeps its object, and the next save throws unless another is set.
  private func _$release(_ owner: some PersistentModel, at position: Int, isOptional: Bool) {
    _$keepOriginalReference(at: position)
    guard isOptional else {
      _$willChange(position)
      _$state.pointee.identityMap?.context?.orphans.append(Orphan(object: self, position: position, owner: owner))
      return
    }
    _$willChange(position)
    let edit = _$edit(.clear, at: position)
    _$keepMark(position)
    guard let other = _$replaced(nil, by: edit, at: position), other !== owner else { return }
    // An observer has set the end to another object.
    if let relationship = _$relationship(at: position) { _$unlink(other, relationship) }
  }

  /// Marks a changed end again, if an observer of it saved before the change was made.
  private func _$keepMark(_ position: Int) {
    guard _$isObserved, _$state.pointee.identityMap != nil, !_$isDirty(position) else { return }
    _$willChange(position)
  }

  /// The changes of a list after its observers were notified: a save there forgets those from before.
  private func _$current(_ changes: ListChanges) -> ListChanges {
    guard _$isObserved else { return changes }
    _$keepMark(changes.position)
    return _$state.pointee.listChanges(at: changes.position)
  }

  /// The object of a to-one relationship, read on demand.
  func _$relatedObject(at position: Int) -> (any PersistentModel)? {
    let edit = _$edit(.read, at: position)
    if edit.isLoaded {
      guard let object = edit.objects.first, let relationship = _$relationship(at: position) else { return nil }
      return EntityLayout.model(object, as: relationship.destinationType)
    }
    guard let map = _$state.pointee.identityMap, _$state.pointee.primaryKey != 0 else { return nil }
    return self[keyPath: map.entity.properties[position].keyPath].flatMap(ModelContext.model)
  }

  // MARK: A to-many end

  /// Appends an object to a to-many end.
  private func _$receive(_ member: some PersistentModel, at position: Int) {
    _$willChange(position)
    let changes = _$state.pointee.listChanges(at: position)
    if !changes.stale.isEmpty { _$takeOutStale(changes) }
    // A list without a context keeps objects whose own end was changed meanwhile.
    if _$state.pointee.hasLeft, _$hasMember(member, changes) { return }
    let edit = _$edit(.append, member, at: position)
    let current = _$current(changes)
    if edit.isLoaded {
      current.members?.append(member)
      current.noteMove(from: edit.count - 1)
    }
    if !edit.isLoaded || _$keepsPairs(at: position) { current.noteAddition(of: member) }
  }

  /// Whether a list contains an object. The members are kept as a set: searching the list for each of n objects would
  /// take n² steps.
  func _$hasMember(_ member: some PersistentModel, _ changes: ListChanges) -> Bool {
    if changes.members == nil {
      let held = _$edit(.read, at: changes.position)
      guard held.isLoaded else { return false }
      changes.members = ListMembers(held.objects)
    }
    return changes.members?.contains(member) == true
  }

  /// Removes an object from a to-many end. The array keeps it until its next read.
  private func _$lose(_ member: some PersistentModel, at position: Int) {
    guard !isDeleted else { return }
    _$willChange(position)
    let former = _$state.pointee.listChanges(at: position)
    let isLoaded = _$edit(.announce, at: position).isLoaded
    let changes = _$current(former)
    if isLoaded {
      changes.noteStale(member)
      _$state.pointee.flags.insert(.stale)
    }
    if !isLoaded || _$keepsPairs(at: position) { changes.noteRemoval(of: member) }
  }

  /// Whether each pair of the relationship is a row of its own, so that a save writes each addition and removal.
  func _$keepsPairs(at position: Int) -> Bool {
    if case .links = _$relationship(at: position)?.storage { return true }
    return false
  }

  /// Removes a deleted object from a one-way relationship of this object.
  func _$letGo(of target: some PersistentModel, _ relationship: RelationshipLayout) {
    if relationship.isToMany {
      _$lose(target, at: relationship.position)
    } else {
      _$release(target, at: relationship.position, isOptional: relationship.isOptional)
    }
  }

  /// Empties a relationship without a column, so that the next access reads it, and notifies its observers, which
  /// emptying a slot does not.
  func _$forgetRead(_ relationship: RelationshipLayout) {
    guard !isDeleted else { return }
    _ = _$edit(relationship.isToMany ? .announce : .clear, at: relationship.position)
    _ = _$edit(.release, at: relationship.position)
  }

  func _$takeOutStale(_ changes: ListChanges) {
    var edit = RelationshipSlotOperation(.takeOut)
    edit.removal = changes.takeStale()
    _$relate(&edit, changes.position)
  }

  /// Applies pending removals to the arrays of to-many relationships before one of them is read.
  @usableFromInline
  func _$flushStale() {
    _$state.pointee.flags.remove(.stale)
    for changes in _$state.pointee.extras?.lists ?? [] where !changes.stale.isEmpty { _$takeOutStale(changes) }
  }
}

/// A reference from a new model to an object of another context.
struct ForeignReference {
  let model: any PersistentModel
  let relationship: RelationshipLayout
  let related: any PersistentModel
}

/// An object that lost the target of a required relationship.
struct Orphan {
  let object: any PersistentModel
  let position: Int
  let owner: any PersistentModel
}

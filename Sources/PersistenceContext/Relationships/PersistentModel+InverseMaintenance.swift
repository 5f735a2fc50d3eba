// Both ends of a relationship always agree: what one end is made to hold, the other is made to hold here.

import PersistenceRuntime

extension PersistentModel {
  /// The description of a relationship, from the schema of the context or, before the object has one, from its class.
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

  /// Makes the other end of a relationship hold this object.
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

  /// Notes that the object may refer to another one that does not know of it.
  func _$noteReference() { _$state.pointee.identityMap?.context?.referrers.forget() }

  /// Makes the other end of a relationship let go of this object. One that may not be used was not told of it either.
  func _$unlink<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) {
    guard _$mayUse(other) else { return }
    guard let inverse = relationship.inverse, !other.isDeleted, !_$isBothEnds(other, relationship) else { return }
    if inverse.isToMany {
      other._$lose(self, at: inverse.position)
    } else {
      other._$release(self, at: inverse)
    }
  }

  /// Whether an object is related to itself by a relationship that is its own inverse: then there is no other end.
  private func _$isBothEnds<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) -> Bool {
    other === self && relationship.isSymmetric
  }

  // MARK: A to-one end

  /// Holds another object from now on; the one that it was held by until now lets go.
  private func _$take(_ owner: some PersistentModel, at position: Int, from relationship: RelationshipLayout) {
    let previous = _$relatedObject(at: position)
    guard previous !== owner else {
      // What had been lost came back.
      _$state.pointee.identityMap?.context?.orphans.remove(self, at: position)
      return
    }
    _$keepOriginalReference(at: position)
    _$willChange(position)
    _ = _$edit(.set, owner, at: position)
    guard let previous else { return }
    if relationship.isToMany {
      previous._$lose(self, at: relationship.position)
    } else if !previous.isDeleted {
      previous._$release(self, at: relationship.position, isOptional: relationship.isOptional)
    }
  }

  private func _$release(_ owner: some PersistentModel, at inverse: RelationshipLayout.Inverse) {
    // Where it cannot be read what the other end holds, it holds what says so; no save writes that before it is read.
    let held = _$relatedObject(at: inverse.position)
    guard held === owner || _$state.pointee.failedRead(at: inverse.position) != nil else { return }
    _$release(owner, at: inverse.position, isOptional: inverse.isOptional)
  }

  /// Holds nothing from now on. What must hold something keeps it, and the next save says so unless that is mended.
  private func _$release(_ owner: some PersistentModel, at position: Int, isOptional: Bool) {
    _$keepOriginalReference(at: position)
    guard isOptional else {
      _$willChange(position)
      _$state.pointee.identityMap?.context?.orphans.append(Orphan(object: self, position: position, owner: owner))
      return
    }
    _$willChange(position)
    _ = _$edit(.clear, at: position)
  }

  /// The object that a to-one relationship holds, read if need be.
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

  /// Gets another object, at the end.
  private func _$receive(_ member: some PersistentModel, at position: Int) {
    _$willChange(position)
    let changes = _$state.pointee.listChanges(at: position)
    if !changes.stale.isEmpty { _$takeOutStale(changes) }
    // While the list was in no context, it kept what others took out of theirs.
    if _$state.pointee.hasLeft, _$hasMember(member, changes) { return }
    let edit = _$edit(.append, member, at: position)
    if edit.isLoaded {
      changes.members?.append(member)
      changes.noteMove(from: edit.count - 1)
    }
    if !edit.isLoaded || _$keepsPairs(at: position) { changes.noteAddition(of: member) }
  }

  /// Whether a list holds an object. The members are kept for that: looking through the list for each object that comes
  /// would cost the square of how many do.
  func _$hasMember(_ member: some PersistentModel, _ changes: ListChanges) -> Bool {
    if changes.members == nil {
      let held = _$edit(.read, at: changes.position)
      guard held.isLoaded else { return false }
      changes.members = ListMembers(held.objects)
    }
    return changes.members?.contains(member) == true
  }

  /// Loses an object. The value keeps it until it is read next.
  private func _$lose(_ member: some PersistentModel, at position: Int) {
    guard !isDeleted else { return }
    _$willChange(position)
    let changes = _$state.pointee.listChanges(at: position)
    let isLoaded = _$edit(.announce, at: position).isLoaded
    if isLoaded {
      changes.noteStale(member)
      _$state.pointee.flags.insert(.stale)
    }
    if !isLoaded || _$keepsPairs(at: position) { changes.noteRemoval(of: member) }
  }

  /// Whether each pair of the relationship is a row of its own, so that the store has to be told of each.
  func _$keepsPairs(at position: Int) -> Bool {
    if case .links = _$relationship(at: position)?.storage { return true }
    return false
  }

  /// Lets go of an object that is deleted and does not know of this one.
  func _$letGo(of target: some PersistentModel, _ relationship: RelationshipLayout) {
    if relationship.isToMany {
      _$lose(target, at: relationship.position)
    } else {
      _$release(target, at: relationship.position, isOptional: relationship.isOptional)
    }
  }

  /// Has a relationship without a column read again when it is next touched, and tells its observers, which
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

  /// Brings the values of to-many relationships up to date before one of them is read.
  @usableFromInline
  func _$flushStale() {
    _$state.pointee.flags.remove(.stale)
    for changes in _$state.pointee.extras?.lists ?? [] where !changes.stale.isEmpty { _$takeOutStale(changes) }
  }
}

/// An object of another context that a new model holds.
struct ForeignReference {
  let model: any PersistentModel
  let relationship: RelationshipLayout
  let related: any PersistentModel
}

/// An object whose required relationship has lost what it held.
struct Orphan {
  let object: any PersistentModel
  let position: Int
  let owner: any PersistentModel
}

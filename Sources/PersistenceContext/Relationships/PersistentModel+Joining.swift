import PersistenceRuntime
import PersistenceSupport

// An object that is related to one in a context is inserted into that context.

extension PersistentModel {
  /// The object to use in a relationship; nil if the two cannot be related, for which the next save throws.
  func _$admit<Destination: PersistentModel>(_ value: Destination, at position: Int) -> Destination? {
    guard _$mayUse(value) else { return value }
    // An actor that runs elsewhere links when it is inserted.
    if value._$isHere, value._$state.pointee.flags.contains(.unlinked) { value._$linkInitial() }
    guard let map = _$state.pointee.identityMap, let context = map.context else { return value }
    return context.admit(value, relatedTo: self, property: map.entity.properties[position].name)
  }

  /// Inserts this object into the context of a related object.
  func _$join(_ other: some PersistentModel) {
    guard _$state.pointee.identityMap == nil, _$mayUse(other), let context = other.modelContext else { return }
    context.insertWithoutSaving(self)
    _$state.pointee.flags.insert(.joined)
  }

  /// Inserts this object into the context of a new list member.
  ///
  /// During an in-place change the array is not in its slot. It is stored there first, so that all members are inserted
  /// too.
  func _$join<Member: PersistentModel>(_ member: Member, among members: [Member], at position: Int) {
    guard _$state.pointee.identityMap == nil, _$mayUse(member), member.modelContext != nil else { return }
    if !_$edit(.find, at: position).isLoaded {
      var edit = RelationshipSlotOperation(.fill)
      edit.objects = ContiguousArray(members.lazy.map { $0 as AnyObject })
      _$relate(&edit, position)
    }
    _$join(member)
  }

  /// Inserts this object into the context of its first related object with one.
  func _$joinRelated() {
    guard _$state.pointee.identityMap == nil, let layout = UnboundLayouts.layout(of: type(of: self)) else { return }
    for relationship in layout.relationships {
      for object in _$edit(.read, at: relationship.position).objects {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        if _$mayUseContext(of: related) { _$join(related) }
        if _$state.pointee.identityMap != nil { return }
      }
    }
  }

  /// Replaces the members of a relationship, each once, without updating inverses. Returns the new ones.
  func _$replaceMembers(
    _ old: ContiguousArray<AnyObject>, by new: ContiguousArray<AnyObject>, at position: Int
  ) -> ContiguousArray<AnyObject> {
    var members = ObjectSet()
    for object in new { members.insert(object) }
    var replacement = RelationshipSlotOperation(.fill)
    replacement.objects = members.objects
    _$relate(&replacement, position)
    return members.objects(besides: old)
  }

  /// Whether the object may be used on this thread: it is no actor, or its jobs run here.
  var _$isHere: Bool { !Self._$runsInContext || _$execution?.isRunningHere ?? true }

  /// Whether this object may read and change another.
  ///
  /// An actor may be used where its jobs run. All objects of one context run there. An actor without a context may run
  /// elsewhere: its initialiser runs anywhere, and its methods run concurrently with all contexts.
  func _$mayUse<Other: PersistentModel>(_ other: Other) -> Bool {
    guard Other._$runsInContext, _$state.pointee.identityMap?.context == nil else { return true }
    return other._$isHere
  }

  /// Whether the context of another object may be used here. The context of an actor may be used where the actor's jobs
  /// run; an initialiser of an actor runs anywhere.
  private func _$mayUseContext(of other: some PersistentModel) -> Bool {
    guard let execution = other._$execution else { return !Self._$runsInContext }
    return execution.isRunningHere
  }

  /// Restores the links of a required relationship that is set to its former target again.
  func _$mendOrphan() {
    guard let context = _$state.pointee.identityMap?.context, !context.orphans.isEmpty else { return }
    for orphan in context.orphans.losses(of: self) {
      guard let relationship = _$relationship(at: orphan.position) else { continue }
      _$link(orphan.owner, relationship)
    }
    context.orphans.remove(self)
  }

  /// Applies pending links and removals before a relationship of the object is used.
  @inlinable
  func _$applyLinks() {
    if !_$hasAppliedLinks { _$applyLinksNow() }
  }

  @inlinable
  var _$hasAppliedLinks: Bool { _$state.pointee.flags.isDisjoint(with: [.unlinked, .stale]) }

  @usableFromInline
  func _$applyLinksNow() {
    if _$state.pointee.flags.contains(.unlinked) { _$linkInitial() }
    if _$state.pointee.flags.contains(.stale) { _$flushStale() }
  }

  /// Updates the inverses of relationships that were set by an initialiser, or while the other object could not be
  /// used. Links to objects that still cannot be used stay pending.
  func _$linkInitial() {
    _$state.pointee.flags.remove(.unlinked)
    guard let layout = _$state.pointee.identityMap?.entity ?? UnboundLayouts.layout(of: type(of: self)) else { return }
    for relationship in layout.relationships where relationship.inverse != nil {
      for object in _$edit(.read, at: relationship.position).objects {
        let other = EntityLayout.model(object, as: relationship.destinationType)
        _$linkInitial(other, relationship, mayBeLinked: layout.meetsActors)
      }
    }
  }

  /// Marks the links of the object as pending.
  func _$postponeLinks() {
    _$state.pointee.flags.insert(.unlinked)
  }

  private func _$linkInitial<Other: PersistentModel>(
    _ other: Other, _ relationship: RelationshipLayout, mayBeLinked: Bool
  ) {
    guard let inverse = relationship.inverse else { return }
    guard _$mayUse(other) else { return _$postponeLinks() }
    // The inverse may contain the object already: if it was linked before a link that was postponed, if an initialiser
    // linked it, or if a model is hand-written.
    let mayKnow =
      mayBeLinked || other._$state.pointee.flags.contains(.unlinked) || !type(of: other)._$marksInitialRelationships
      || !type(of: self)._$marksInitialRelationships
    if inverse.isToMany, mayKnow, other._$edit(.find, self, at: inverse.position).isFound { return }
    _$link(other, relationship)
  }
}

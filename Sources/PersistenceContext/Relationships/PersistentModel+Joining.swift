import PersistenceRuntime
import PersistenceSupport

// What is related to an object of a context comes into that context.

extension PersistentModel {
  /// The object to relate for another; nil when the two cannot be related, which the next save says.
  func _$admit<Destination: PersistentModel>(_ value: Destination, at position: Int) -> Destination? {
    guard _$mayUse(value) else { return value }
    // What runs elsewhere and gets into a context is told there.
    if value._$isHere, value._$state.pointee.flags.contains(.unlinked) { value._$linkInitial() }
    guard let map = _$state.pointee.identityMap, let context = map.context else { return value }
    return context.admit(value, relatedTo: self, property: map.entity.properties[position].name)
  }

  /// Inserts this object into the context of one that it was related to.
  func _$join(_ other: some PersistentModel) {
    guard _$state.pointee.identityMap == nil, _$mayUse(other), let context = other.modelContext else { return }
    context.insert(self)
    _$state.pointee.flags.insert(.joined)
  }

  /// Inserts this object into the context of a member that came into one of its lists.
  ///
  /// A list that is changed in place is not in its slot: it is put there, so that all of its members come along.
  func _$join<Member: PersistentModel>(_ member: Member, among members: [Member], at position: Int) {
    guard _$state.pointee.identityMap == nil, _$mayUse(member), member.modelContext != nil else { return }
    if !_$edit(.find, at: position).isLoaded {
      var edit = RelationshipSlotOperation(.fill)
      edit.objects = ContiguousArray(members.lazy.map { $0 as AnyObject })
      _$relate(&edit, position)
    }
    _$join(member)
  }

  /// Inserts this object into the context of the first object that it is related to and that has one.
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

  /// Makes a relationship hold other objects, each once, and returns those that it did not hold. No other end is told.
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

  /// Whether the object is used where this runs: one that is no actor, or an actor whose jobs run here.
  var _$isHere: Bool { !Self._$runsInContext || _$execution?.isRunningHere ?? true }

  /// Whether this object may look at another and change it.
  ///
  /// An actor is used where its jobs run. Objects of one context all run there. An object without a context may be
  /// elsewhere: an initialiser of an actor runs anywhere, and the methods of new actors run beside all contexts.
  func _$mayUse<Other: PersistentModel>(_ other: Other) -> Bool {
    guard Other._$runsInContext, _$state.pointee.identityMap?.context == nil else { return true }
    return other._$isHere
  }

  /// Whether the context of another object may be used here. That of an actor is used where its jobs run, and an initialiser
  /// of an actor runs anywhere.
  private func _$mayUseContext(of other: some PersistentModel) -> Bool {
    guard let execution = other._$execution else { return !Self._$runsInContext }
    return execution.isRunningHere
  }

  /// A required relationship that is set to what it held all the time is no orphan's any more.
  func _$mendOrphan() {
    guard let context = _$state.pointee.identityMap?.context, !context.orphans.isEmpty else { return }
    for orphan in context.orphans.losses(of: self) {
      guard let relationship = _$relationship(at: orphan.position) else { continue }
      _$link(orphan.owner, relationship)
    }
    context.orphans.remove(self)
  }

  /// Brings the object's relationships up to date before one of them is used.
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

  /// Tells the other ends of the relationships that were set when they could not be told: by an initialiser, or where they
  /// may not be used. Those that may still not be used are told another time.
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

  /// Remembers that the other end of a relationship is to be told.
  func _$postponeLinks() {
    _$state.pointee.flags.insert(.unlinked)
  }

  private func _$linkInitial<Other: PersistentModel>(
    _ other: Other, _ relationship: RelationshipLayout, mayBeLinked: Bool
  ) {
    guard let inverse = relationship.inverse else { return }
    guard _$mayUse(other) else { return _$postponeLinks() }
    // The other end can know of it only if it was told before one that could not be, if an initialiser told it, or if it
    // is written by hand.
    let mayKnow =
      mayBeLinked || other._$state.pointee.flags.contains(.unlinked) || !type(of: other)._$marksInitialRelationships
      || !type(of: self)._$marksInitialRelationships
    if inverse.isToMany, mayKnow, other._$edit(.find, self, at: inverse.position).isFound { return }
    _$link(other, relationship)
  }
}

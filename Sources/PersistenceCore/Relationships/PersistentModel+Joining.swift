// What is related to an object of a context comes into that context.

extension PersistentModel {
  /// The object to relate for another; nil when the two cannot be related, which the next save says.
  func _$admit<Destination: PersistentModel>(_ value: Destination, at position: Int) -> Destination? {
    if value._$state.pointee.flags.contains(.unlinked) { value._$linkInitial() }
    guard let map = _$state.pointee.identityMap, let context = map.context else { return value }
    return context.admit(value, relatedTo: self, property: map.entity.properties[position].name)
  }

  /// Inserts this object into the context of one that it was related to.
  func _$join(_ other: some PersistentModel) {
    guard _$state.pointee.identityMap == nil, let context = other.modelContext else { return }
    context.insert(self)
    _$state.pointee.flags.insert(.joined)
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

  /// Whether the context of another object may be used here. That of an actor is used where its jobs run, and an initialiser
  /// of an actor runs anywhere.
  private func _$mayUseContext(of other: some PersistentModel) -> Bool {
    guard let execution = other._$execution else { return !Self._$runsInContext }
    return execution.isRunningHere
  }

  /// A required relationship that is set to what it held all the time is no orphan's any more.
  func _$mendOrphan() {
    guard let context = _$state.pointee.identityMap?.context, !context.orphans.isEmpty else { return }
    for orphan in context.orphans where orphan.object === self {
      guard let relationship = _$relationship(at: orphan.position) else { continue }
      _$link(orphan.owner, relationship)
    }
    context.orphans.removeAll { $0.object === self }
  }

  /// Brings the object's relationships up to date before one of them is used.
  @inlinable
  func _$settleRelationships() {
    if !_$hasSettledRelationships { _$settleRelationshipsNow() }
  }

  @inlinable
  var _$hasSettledRelationships: Bool { _$state.pointee.flags.isDisjoint(with: [.unlinked, .stale]) }

  @usableFromInline
  func _$settleRelationshipsNow() {
    if _$state.pointee.flags.contains(.unlinked) { _$linkInitial() }
    if _$state.pointee.flags.contains(.stale) { _$settleStale() }
  }

  /// Tells the other ends of the relationships that an initialiser set.
  func _$linkInitial() {
    _$state.pointee.flags.remove(.unlinked)
    guard let layout = _$state.pointee.identityMap?.entity ?? UnboundLayouts.layout(of: type(of: self)) else { return }
    for relationship in layout.relationships where relationship.inverse != nil {
      for object in _$edit(.read, at: relationship.position).objects {
        _$linkInitial(EntityLayout.model(object, as: relationship.destinationType), relationship)
      }
    }
  }

  private func _$linkInitial<Other: PersistentModel>(_ other: Other, _ relationship: RelationshipLayout) {
    guard let inverse = relationship.inverse else { return }
    // The other end can know of it only if an initialiser told it so, or if it is written by hand.
    let mayKnow =
      other._$state.pointee.flags.contains(.unlinked) || !type(of: other)._$marksInitialRelationships
      || !type(of: self)._$marksInitialRelationships
    if inverse.isToMany, mayKnow, other._$edit(.find, self, at: inverse.position).isFound { return }
    _$link(other, relationship)
  }
}

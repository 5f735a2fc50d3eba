import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// The compiler resolves the accessors of to-one relationships to these overloads.

extension PersistentModel {
  /// For generated code.
  @inlinable
  public func _$isUntracked<Destination: PersistentModel>(
    _ keyPath: @autoclosure () -> KeyPath<Self, Destination?>
  ) -> Bool {
    _$hasAppliedLinks && !isReadingTracked()
  }

  /// For generated code.
  @inlinable
  public func _$isUntracked<Destination: PersistentModel>(
    _ keyPath: @autoclosure () -> KeyPath<Self, Destination>
  ) -> Bool {
    _$hasAppliedLinks && !isReadingTracked()
  }

  /// For generated code.
  @inlinable
  public func _$access<Destination: PersistentModel>(_ keyPath: @autoclosure () -> KeyPath<Self, Destination?>) {
    _$applyLinks()
    if isReadingTracked() { _$noteAccess(keyPath()) }
  }

  /// For generated code.
  @inlinable
  public func _$access<Destination: PersistentModel>(_ keyPath: @autoclosure () -> KeyPath<Self, Destination>) {
    _$applyLinks()
    if isReadingTracked() { _$noteAccess(keyPath()) }
  }

  /// Sets a to-one relationship and its inverse. For generated code.
  public func _$assign<Destination: PersistentModel>(
    _ value: Destination?, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Destination?>,
    slot: () -> _PersistenceRuntime.Slot<Destination?>, store: (Destination?) -> Void
  ) {
    _$applyLinks()
    var old = _$known(position) { _$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? nil }
    guard !_$refusesChange(at: position) else { return }
    guard value !== old, var change = _$prepare(value, at: position) else { return }
    var (readsAgain, ends) = (osd_is_observed(), AnnouncedEnds())
    _$withMutation(keyPath()) {
      // Observers may have saved, rolled back, or set the relationship.
      while readsAgain || _$announce(&ends, from: old, to: change.value, change.relationship) {
        readsAgain = false
        let again = _$prepare(value, at: position)
        old = _$known(position) { _$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? nil }
        change = again ?? (old, nil)
      }
      store(change.value)
      _$follow(from: old, to: change.value, change.relationship, ends)
    }
    ends.conclude()
  }

  /// Sets a required to-one relationship and its inverse. For generated code.
  public func _$assign<Destination: PersistentModel>(
    _ value: Destination, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Destination>,
    slot: () -> _PersistenceRuntime.Slot<Destination>, store: (Destination) -> Void
  ) {
    _$applyLinks()
    var old = _$known(position) { _$known(slot()) { _$resolve(position, slot: slot, store: store) } }
    guard !_$refusesChange(at: position) else { return }
    guard var change = _$prepare(value, at: position), let admitted = change.value else { return }
    guard admitted !== old else { return _$mendOrphan() }
    var (readsAgain, ends) = (osd_is_observed(), AnnouncedEnds())
    _$withMutation(keyPath()) {
      while readsAgain || _$announce(&ends, from: old, to: change.value, change.relationship) {
        readsAgain = false
        let again = _$prepare(value, at: position)
        old = _$known(position) { _$known(slot()) { _$resolve(position, slot: slot, store: store) } }
        change = again ?? (old, nil)
      }
      if let value = change.value { store(value) }
      _$follow(from: old, to: change.value, change.relationship, ends)
    }
    ends.conclude()
  }

  // MARK: In-place changes

  /// For generated code.
  public func _$willModify<Destination: PersistentModel>(
    _ position: Int, keyPath: KeyPath<Self, Destination?>, _ value: Destination?
  ) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepOriginalReference(at: position)
    _$state.pointee.ensureExtras().modified.append(value)
    return _$beginReferenceModification(position, keyPath)
  }

  /// For generated code.
  public func _$willModify<Destination: PersistentModel>(
    _ position: Int, keyPath: KeyPath<Self, Destination>, _ value: Destination
  ) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepOriginalReference(at: position)
    _$state.pointee.ensureExtras().modified.append(value)
    return _$beginReferenceModification(position, keyPath)
  }

  /// Returns the related object to store after an in-place change. For generated code.
  public func _$accept<Destination: PersistentModel>(_ value: Destination?, at position: Int) -> Destination? {
    if _$isRefused(position) { return value }
    return _$accept(value, inPlaceOf: _$takeModified(Destination.self, at: position), at: position)
  }

  /// For generated code.
  public func _$accept<Destination: PersistentModel>(_ value: Destination, at position: Int) -> Destination {
    if _$isRefused(position) { return value }
    return _$accept(value, inPlaceOf: _$takeModified(Destination.self, at: position), at: position) ?? value
  }

  private func _$accept<Destination: PersistentModel>(
    _ value: Destination?, inPlaceOf former: Destination?, at position: Int
  ) -> Destination? {
    var (old, new, ends) = (former, former, AnnouncedEnds())
    while value !== old, let change = _$prepare(value, at: position) {
      // Like observers of an assignment, these observers read the former object. Afterwards the slot is emptied again.
      let former: ContiguousArray<AnyObject> = old.map { [$0] } ?? []
      if _$announce(&ends, from: old, to: change.value, change.relationship, { _$fill(former, at: position) }) {
        old = _$relatedObject(at: position).map { unsafeDowncast($0, to: Destination.self) }
        new = old
        _$markAgain(position)
        _ = _$edit(.release, at: position)
        continue
      }
      _$follow(from: old, to: change.value, change.relationship, ends)
      new = change.value
      break
    }
    guard !ends.isEmpty else { return new }
    _$fill(new.map { [$0] } ?? [], at: position)
    ends.conclude()
    return _$relatedObject(at: position).map { unsafeDowncast($0, to: Destination.self) }
  }

  /// Begins an in-place change, which empties the slot. Records the related object again, after the observers ran.
  private func _$beginReferenceModification<Value>(_ position: Int, _ keyPath: KeyPath<Self, Value>) -> Bool {
    guard _$beginModification(position, keyPath: keyPath) else { return false }
    let held = _$relatedObject(at: position)
    if let extras = _$state.pointee.extras, extras.modified.popLast() != nil { extras.modified.append(held) }
    return true
  }

  /// Returns the object that was related before an in-place change.
  private func _$takeModified<Destination: PersistentModel>(
    _ type: Destination.Type, at position: Int
  ) -> Destination? {
    var old: AnyObject? = _$state.pointee.extras?.modified.popLast() ?? nil
    if _$state.pointee.identityMap != nil, !_$isDirty(position) {
      // Code that ran during the in-place change has discarded the pending changes, and restored the relationship.
      let edit = _$edit(.read, at: position)
      if edit.isLoaded { old = edit.objects.first }
    }
    return old.map { unsafeDowncast($0, to: Destination.self) }
  }

  // MARK: Steps

  /// The object that the relationship refers to.
  ///
  /// - Parameter slot: Reads the slot. Called if the slot is empty, and for a property that generated code does not
  ///   treat as a relationship, such as a model with a transformer.
  private func _$known<Destination: PersistentModel>(_ position: Int, slot: () -> Destination?) -> Destination? {
    let edit = _$edit(.find, at: position)
    guard edit.isLoaded else { return slot() }
    guard let related = edit.related else { return nil }
    return unsafeDowncast(related, to: Destination.self)
  }

  /// Finds the object to relate, and marks the property as changed. Returns nil if the change is rejected.
  private func _$prepare<Destination: PersistentModel>(
    _ value: Destination?, at position: Int
  ) -> (value: Destination?, relationship: RelationshipLayout?)? {
    var admitted: Destination?
    // Not `flatMap`, which would look up the metadata of optionals.
    if let value {
      admitted = _$admit(value, at: position)
      if admitted == nil { return nil }
    }
    _$keepOriginalReference(at: position)
    _$willChange(position)
    return (admitted, _$relationship(at: position))
  }

  /// Updates the inverses of the old and the new object.
  private func _$follow(
    from old: (any PersistentModel)?, to new: (any PersistentModel)?, _ relationship: RelationshipLayout?,
    _ ends: AnnouncedEnds
  ) {
    guard let relationship, !isDeleted, old !== new else { return }
    ends.apply {
      if let old { _$unlink(old, relationship) }
      if let new { _$link(new, relationship) }
    }
    if let new { _$join(new) }
  }

  private func _$announce(
    _ ends: inout AnnouncedEnds, from old: AnyObject?, to new: AnyObject?, _ relationship: RelationshipLayout?,
    _ prepare: () -> Void = {}
  ) -> Bool {
    guard osd_is_observed(), old !== new, let relationship else { return false }
    return _$announce(
      &ends, leaving: old.map { [$0] } ?? [], entering: new.map { [$0] } ?? [], relationship, prepare)
  }
}

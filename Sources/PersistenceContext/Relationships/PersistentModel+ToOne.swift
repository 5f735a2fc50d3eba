import PersistenceRuntime
import PersistenceSupport

// The accessors of to-one relationships resolve to these overloads.

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
    var old = _$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? nil
    guard !_$refusesChange(at: position) else { return }
    guard value !== old, let change = _$prepare(value, at: position) else { return }
    _$withMutation(keyPath()) {
      if _$markAgain(position) { old = _$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? nil }
      store(change.value)
    }
    _$follow(from: old, to: change.value, change.relationship)
  }

  /// Sets a required to-one relationship and its inverse. For generated code.
  public func _$assign<Destination: PersistentModel>(
    _ value: Destination, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Destination>,
    slot: () -> _PersistenceRuntime.Slot<Destination>, store: (Destination) -> Void
  ) {
    _$applyLinks()
    var old = _$known(slot()) { _$resolve(position, slot: slot, store: store) }
    guard !_$refusesChange(at: position) else { return }
    guard let change = _$prepare(value, at: position), let admitted = change.value else { return }
    guard admitted !== old else { return _$mendOrphan() }
    _$withMutation(keyPath()) {
      if _$markAgain(position) { old = _$known(slot()) { _$resolve(position, slot: slot, store: store) } }
      store(admitted)
    }
    _$follow(from: old, to: admitted, change.relationship)
  }

  // MARK: In-place changes

  /// For generated code.
  public func _$willModify<Destination: PersistentModel>(
    _ position: Int, keyPath: KeyPath<Self, Destination?>, _ value: Destination?
  ) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepOriginalReference(at: position)
    _$state.pointee.ensureExtras().modified.append(value)
    return _$beginModification(position, keyPath: keyPath)
  }

  /// For generated code.
  public func _$willModify<Destination: PersistentModel>(
    _ position: Int, keyPath: KeyPath<Self, Destination>, _ value: Destination
  ) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepOriginalReference(at: position)
    _$state.pointee.ensureExtras().modified.append(value)
    return _$beginModification(position, keyPath: keyPath)
  }

  /// The accepted object after an in-place change. For generated code.
  public func _$accept<Destination: PersistentModel>(_ value: Destination?, at position: Int) -> Destination? {
    if _$isRefused(position) { return value }
    let old = _$takeModified(Destination.self, at: position)
    guard value !== old, let change = _$prepare(value, at: position) else { return old }
    _$follow(from: old, to: change.value, change.relationship)
    return change.value
  }

  /// For generated code.
  public func _$accept<Destination: PersistentModel>(_ value: Destination, at position: Int) -> Destination {
    if _$isRefused(position) { return value }
    let old = _$takeModified(Destination.self, at: position)
    guard value !== old, let change = _$prepare(value, at: position) else { return old ?? value }
    _$follow(from: old, to: change.value, change.relationship)
    return change.value ?? value
  }

  /// The object before an in-place change.
  private func _$takeModified<Destination: PersistentModel>(
    _ type: Destination.Type, at position: Int
  ) -> Destination? {
    var old: AnyObject? = _$state.pointee.extras?.modified.popLast() ?? nil
    if _$state.pointee.identityMap != nil, !_$isDirty(position) {
      // Code of the access has discarded the pending changes, and restored the relationship.
      let edit = _$edit(.read, at: position)
      if edit.isLoaded { old = edit.objects.first }
    }
    return old.map { unsafeDowncast($0, to: Destination.self) }
  }

  // MARK: Steps

  /// Admits the new object, and marks the property as changed; nil if the change is refused.
  private func _$prepare<Destination: PersistentModel>(
    _ value: Destination?, at position: Int
  ) -> (value: Destination?, relationship: RelationshipLayout?)? {
    let admitted = value.flatMap { _$admit($0, at: position) }
    if value != nil, admitted == nil { return nil }
    _$keepOriginalReference(at: position)
    _$willChange(position)
    return (admitted, _$relationship(at: position))
  }

  /// Updates the inverses of the old and the new object.
  private func _$follow(
    from old: (any PersistentModel)?, to new: (any PersistentModel)?, _ relationship: RelationshipLayout?
  ) {
    guard let relationship, !isDeleted, old !== new else { return }
    if let old { _$unlink(old, relationship) }
    guard let new else { return }
    _$link(new, relationship)
    _$join(new)
  }
}

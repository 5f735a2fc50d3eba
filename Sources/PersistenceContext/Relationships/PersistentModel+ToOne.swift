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
    var watch = RollbackWatch(of: self)
    repeat {
      watch.begin()
      _$applyLinks()
      var old = _$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? nil
      guard !_$refusesChange(at: position) else { return }
      guard value !== old, var change = _$prepare(value, at: position) else { return }
      let readsAgain = _$isObserved || watch.isRepeated
      _$withMutation(keyPath()) {
        // Observers may have saved, rolled back, or set the relationship.
        if readsAgain {
          let again = _$prepare(value, at: position)
          old = _$known(slot()) { _$resolve(position, slot: slot, store: store) } ?? nil
          change = again ?? (old, nil)
        }
        store(change.value)
      }
      watch.note()
      _$follow(from: old, to: change.value, change.relationship, watch)
    } while watch.mustRepeat
  }

  /// Sets a required to-one relationship and its inverse. For generated code.
  public func _$assign<Destination: PersistentModel>(
    _ value: Destination, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Destination>,
    slot: () -> _PersistenceRuntime.Slot<Destination>, store: (Destination) -> Void
  ) {
    var watch = RollbackWatch(of: self)
    repeat {
      watch.begin()
      _$applyLinks()
      var old = _$known(slot()) { _$resolve(position, slot: slot, store: store) }
      guard !_$refusesChange(at: position) else { return }
      guard var change = _$prepare(value, at: position), let admitted = change.value else { return }
      guard admitted !== old else { return _$mendOrphan() }
      let readsAgain = _$isObserved || watch.isRepeated
      _$withMutation(keyPath()) {
        if readsAgain {
          let again = _$prepare(value, at: position)
          old = _$known(slot()) { _$resolve(position, slot: slot, store: store) }
          change = again ?? (old, nil)
        }
        if let value = change.value { store(value) }
      }
      watch.note()
      _$follow(from: old, to: change.value, change.relationship, watch)
    } while watch.mustRepeat
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
    var old = former
    var watch = RollbackWatch(of: self)
    while true {
      watch.begin()
      guard value !== old, let change = _$prepare(value, at: position) else { return old }
      _$follow(from: old, to: change.value, change.relationship, watch)
      guard watch.mustRepeat else { return change.value }
      // The rollback has restored the relationship.
      old = _$edit(.read, at: position).objects.first.map { unsafeDowncast($0, to: Destination.self) }
    }
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
    from old: (any PersistentModel)?, to new: (any PersistentModel)?, _ relationship: RelationshipLayout?,
    _ watch: RollbackWatch
  ) {
    guard let relationship, !isDeleted, old !== new else { return }
    if let old { _$unlink(old, relationship) }
    guard let new, !watch.hasRolledBack else { return }
    _$link(new, relationship, watch)
    _$join(new)
  }
}

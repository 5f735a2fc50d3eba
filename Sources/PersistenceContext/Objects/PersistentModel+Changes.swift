import Observation
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// The accessors of generated code call these.

extension PersistentModel {
  /// Marks a property as changed. For generated code.
  ///
  /// Like the other functions here without `@inlinable`, it would be copied for each model, or even for each property,
  /// and runs once for each change that a save has to write.
  public func _$willChange(_ position: Int) {
    let state = _$state
    let bit = PropertyMask.bit(position)
    if osd_is_recording() { _$recordChange(at: position) }
    guard state.pointee.identityMap != nil, state.pointee.dirty & bit == 0 else { return }
    // Properties that share a mask bit are written together, so all of them must be loaded.
    if position >= PropertyMask.sharedPosition, state.pointee.flags.contains(.fault) { _ = _$fulfill() }
    state.pointee.dirty |= bit
    if !state.pointee.flags.contains(.changed) { _$becomeChanged() }
  }

  /// Sets a property. For generated code.
  @inlinable
  public func _$assign<Value>(
    _ value: Value, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Value>,
    slot: () -> _PersistenceRuntime.Slot<Value>,
    store: (Value) -> Void
  ) {
    guard _$keepOriginal(slot, at: position) else { return }
    _$willChange(position)
    guard _$isObserved else { return store(value) }
    _$willSet(keyPath(), at: position)
    store(value)
    _$didSet(keyPath())
  }

  /// Notifies observers before a change of an attribute, which is marked already. For generated code.
  public func _$willSet<Value>(_ keyPath: KeyPath<Self, Value>, at position: Int) {
    _$state.pointee.observation?.registrar.willSet(self, keyPath: keyPath)
    _$markAgain(position)
  }

  /// Prepares the first of an attribute's changes; false if the attribute may not be set. For generated code.
  ///
  /// Generated setters of attributes call it instead of ``_$assign(_:at:keyPath:slot:store:)``. What is inlined there is
  /// the test whether there is nothing to do, because each setter of each model would get a copy of the rest.
  /// The attribute's mask bit is its own.
  @inlinable
  public func _$mayChange<Value>(_ slot: _PersistenceRuntime.Slot<Value>, at position: Int) -> Bool {
    if _$hasNothingToKeep(at: position) { return true }
    guard case .value(let value) = slot else { return _$mayChangeUnread(at: position) }
    _$prepareChange(from: value, at: position)
    return true
  }

  /// Whether a change of an attribute concerns no context, or follows another change since the last save.
  @inlinable
  func _$hasNothingToKeep(at position: Int) -> Bool {
    guard !osd_is_recording() else { return false }
    let state = _$state
    return state.pointee.dirty & PropertyMask.bit(position) != 0
      || (state.pointee.primaryKey == 0 && state.pointee.identityMap == nil)
  }

  @usableFromInline
  func _$prepareChange<Value>(from value: Value, at position: Int) {
    _$keepOriginal(value, at: position)
    _$willChange(position)
  }

  @usableFromInline
  func _$mayChangeUnread(at position: Int) -> Bool {
    if _$isFirstChange(at: position), !_$mayReplaceUnread(position) { return false }
    _$willChange(position)
    return true
  }

  /// Begins an in-place change of a property. For generated code.
  public func _$willModify<Value>(_ position: Int, keyPath: KeyPath<Self, Value>, _ value: Value) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepOriginal(value, at: position)
    return _$beginModification(position, keyPath: keyPath)
  }

  /// Whether an in-place change must be discarded, because the property could not be read.
  func _$cannotModify<Value>(_ position: Int, _ keyPath: KeyPath<Self, Value>) -> Bool {
    if position >= PropertyMask.sharedPosition, _$state.pointee.flags.contains(.fault) { _ = _$canBeWritten(position) }
    return _$state.pointee.hasFailedReads && _$refusesModification(position, keyPath: keyPath)
  }

  func _$beginModification<Value>(_ position: Int, keyPath: KeyPath<Self, Value>) -> Bool {
    _$willChange(position)
    guard let box = _$state.pointee.observation else { return false }
    box.registrar.willSet(self, keyPath: keyPath)
    return true
  }

  /// The accepted value after an in-place change; relationships accept only valid members. For generated code.
  @_disfavoredOverload
  @inlinable
  public func _$accept<Value>(_ value: Value, at position: Int) -> Value {
    if _$state.pointee.dirty & PropertyMask.bit(position) == 0 { _$changeAgain(position) }
    return value
  }

  /// Ends an in-place change of a property. For generated code.
  @inlinable
  public func _$didModify<Value>(_ isObserved: Bool, keyPath: KeyPath<Self, Value>, _ value: Value) {
    if isObserved { _$endModification(keyPath) }
  }

  @usableFromInline
  func _$endModification<Value>(_ keyPath: KeyPath<Self, Value>) {
    if _$dropRefusedChange(keyPath) { return }
    _$state.pointee.observation?.registrar.didSet(self, keyPath: keyPath)
  }

  /// Adds the object to the changed ones of its context.
  @usableFromInline
  package func _$becomeChanged() {
    let state = _$state
    guard let changes = state.pointee.identityMap?.changes else { return }
    guard let context = changes.context else { return changes.noteChangeAtEnd(of: self) }
    // A new object is written completely, and a deleted one is not written.
    guard state.pointee.flags.isDisjoint(with: [.inserted, .deleted, .gone]) else { return context.noteChange() }
    state.pointee.flags.insert(.changed)
    context.didChange(self, in: changes)
  }
}

import Observation
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// What the accessors of generated code call.

extension PersistentModel {
  /// Marks a property as changed.
  @inlinable
  public func _$willChange(_ position: Int) {
    let state = _$state
    let bit = PropertyMask.bit(position)
    if osd_is_recording() { _$recordChange(at: position) }
    guard state.pointee.identityMap != nil, state.pointee.dirty & bit == 0 else { return }
    // Properties that share a bit are written together, so all of them have to be there.
    if position >= PropertyMask.sharedPosition, state.pointee.flags.contains(.fault) { _ = _$fulfill() }
    state.pointee.dirty |= bit
    if !state.pointee.flags.contains(.changed) { _$becomeChanged() }
  }

  /// Sets a property.
  @inlinable
  public func _$assign<Value>(
    _ value: Value, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Value>,
    slot: () -> _PersistenceRuntime.Slot<Value>,
    store: (Value) -> Void
  ) {
    guard _$keepOriginal(slot, at: position) else { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(value) }
  }

  /// Begins to change a property in place.
  @inlinable
  public func _$willModify<Value>(_ position: Int, keyPath: KeyPath<Self, Value>, _ value: Value) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepOriginal(value, at: position)
    return _$beginModification(position, keyPath: keyPath)
  }

  /// Whether a change in place is not to be kept, because what is changed could not be read.
  @inlinable
  func _$cannotModify<Value>(_ position: Int, _ keyPath: KeyPath<Self, Value>) -> Bool {
    if position >= PropertyMask.sharedPosition, _$state.pointee.flags.contains(.fault) { _ = _$canBeWritten(position) }
    return _$state.pointee.hasFailedReads && _$refusesModification(position, keyPath: keyPath)
  }

  @inlinable
  func _$beginModification<Value>(_ position: Int, keyPath: KeyPath<Self, Value>) -> Bool {
    _$willChange(position)
    guard let box = _$state.pointee.observation else { return false }
    box.registrar.willSet(self, keyPath: keyPath)
    return true
  }

  /// What is kept of a value that was changed in place; relationships keep only what may be related.
  @_disfavoredOverload
  @inlinable
  public func _$accept<Value>(_ value: Value, at position: Int) -> Value { value }

  /// Ends a change in place.
  @inlinable
  public func _$didModify<Value>(_ isObserved: Bool, keyPath: KeyPath<Self, Value>, _ value: Value) {
    if isObserved { _$endModification(keyPath) }
  }

  @usableFromInline
  func _$endModification<Value>(_ keyPath: KeyPath<Self, Value>) {
    if _$dropRefusedChange(keyPath) { return }
    _$state.pointee.observation?.registrar.didSet(self, keyPath: keyPath)
  }

  /// Puts a changed object where the next save finds it.
  @usableFromInline
  package func _$becomeChanged() {
    let state = _$state
    guard let changes = state.pointee.identityMap?.changes, let context = changes.context else { return }
    // A new object is written whole, and one that goes is not written: what changed in it does not matter.
    guard state.pointee.flags.isDisjoint(with: [.inserted, .deleted, .gone]) else { return context.noteChange() }
    state.pointee.flags.insert(.changed)
    context.didChange(self, in: changes)
  }
}

// The value of a property before its first change since the last save.

import PersistenceRuntime
import PersistenceSupport

extension PersistentModel {
  /// Records the value of a slot before a change. The value of an empty slot was never read, so no change depends on
  /// it.
  ///
  /// - Returns: False if the property may not be set, because it could not be read.
  @inlinable
  func _$keepOriginal<Value>(_ slot: () -> Slot<Value>, at position: Int) -> Bool {
    guard _$isFirstChange(at: position) else { return true }
    if position >= PropertyMask.sharedPosition, _$state.pointee.flags.contains(.fault), !_$canBeWritten(position) {
      return false
    }
    guard case .value(let value) = slot() else { return _$mayReplaceUnread(position) }
    _$noteOriginal(value, at: position)
    return true
  }

  /// Records a value before a change.
  func _$keepOriginal<Value>(_ value: Value, at position: Int) {
    guard _$isFirstChange(at: position) else { return }
    _$noteOriginal(value, at: position)
  }

  /// Records the object of a to-one relationship before a change.
  func _$keepOriginalReference(at position: Int) {
    guard _$isFirstChange(at: position), let relationship = _$relationship(at: position), !relationship.isToMany else {
      return
    }
    let edit = _$edit(.read, at: position)
    guard edit.isLoaded else { return }
    let object = edit.objects.first.map { EntityLayout.model($0, as: relationship.destinationType) }
    _$noteOriginal(OriginalReference(object: object), at: position)
  }

  @inlinable
  func _$isFirstChange(at position: Int) -> Bool {
    let state = _$state
    let isShared = position >= PropertyMask.sharedPosition
    return state.pointee.primaryKey != 0 && (state.pointee.dirty & PropertyMask.bit(position) == 0 || isShared)
  }

  @usableFromInline
  func _$noteOriginal(_ value: Any, at position: Int) {
    let state = _$state
    guard let changes = state.pointee.identityMap?.changes, changes.context != nil || changes.endingContext != nil,
      state.pointee.flags.isDisjoint(with: [.inserted, .gone])
    else { return }
    changes.originals.note(value, of: self, at: position)
  }
}

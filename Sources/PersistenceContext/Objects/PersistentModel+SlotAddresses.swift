import PersistenceRuntime
import PersistenceSupport

// The generated accessor of an attribute passes the address of its slot, not two closures that read and write the slot.
// For each property of each model, the closures would take longer to compile than the rest of the accessor.
//
// Unsafe: the slot is a stored property of an object that the caller retains, and its address is used only during the
// call. Code that the call executes may write to the slot, for example by reading the row. So the slot is read again
// after such code, and it is declared `@exclusivity(unchecked)`.

extension PersistentModel {
  /// Reads an attribute. Getters call it if the slot is empty or an observer tracks reads. For generated code.
  public func _$value<Value>(
    _ position: Int, _ keyPath: KeyPath<Self, Value>,
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>
  ) -> Value {
    _$access(keyPath)
    return _$resolve(
      position, slot: { unsafe slot.pointee }, store: { unsafe slot.pointee = .value($0) })
  }

  /// Begins an in-place change of an attribute: moves the value out of its slot, to avoid a copy. For generated code.
  /// - Returns: The value, and the key path for ``_$endChange(_:_:_:)`` to notify; nil if it has no observers.
  public func _$beginChange<Value>(
    _ position: Int, _ keyPath: KeyPath<Self, Value>,
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>
  ) -> (value: Value, observed: KeyPath<Self, Value>?) {
    let value: Value
    if case .value(let known) = unsafe slot.pointee, _$isUntracked(keyPath) {
      value = known
    } else {
      value = unsafe _$value(position, keyPath, slot)
    }
    let isObserved = _$willModify(position, keyPath: keyPath, value)
    unsafe slot.pointee = .fault
    return (value, isObserved ? keyPath : nil)
  }

  /// Ends an in-place change. For generated code.
  public func _$endChange<Value>(
    _ position: Int, _ change: (value: Value, observed: KeyPath<Self, Value>?),
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>
  ) {
    unsafe slot.pointee = .value(_$accept(change.value, at: position))
    if let keyPath = change.observed { _$endModification(keyPath) }
  }

  /// Sets a slot to the value that was read from the row, and notifies observers. For generated code.
  public func _$replace<Value>(
    _ keyPath: KeyPath<Self, Value>, _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>,
    _ new: _PersistenceRuntime.Slot<Value>
  ) {
    _$notify(keyPath) { unsafe slot.pointee = new }
  }
}

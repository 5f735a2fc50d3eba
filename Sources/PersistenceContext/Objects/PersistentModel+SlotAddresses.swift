import PersistenceRuntime
import PersistenceSupport

// Accessors of attributes pass the address of their slot. Two closures for reading and writing the slot would add two
// functions to each property of each model, and these take longer to compile than the rest of the accessor.
//
// Unsafe: the address belongs to a stored property of an object that the caller retains, and is used only during the
// call. Code that the call executes may also write to the slot, for example by reading a row. So the slot is read again
// after each such call, and it is declared `@exclusivity(unchecked)`.

extension PersistentModel {
  /// The value of an attribute whose slot is empty, or whose reads are tracked. For generated code.
  public func _$value<Value>(
    _ position: Int, _ keyPath: KeyPath<Self, Value>,
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>
  ) -> Value {
    _$access(keyPath)
    return _$resolve(
      position, slot: { unsafe slot.pointee }, store: { unsafe slot.pointee = .value($0) })
  }

  /// Begins an in-place change of an attribute: moves the value out of its slot, to avoid a copy. For generated code.
  ///
  /// - Returns: The value, and the key path whose observers the end of the change notifies; nil without observers.
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

  /// Stores the value of the row in the slot of an attribute, and notifies observers. For generated code.
  public func _$replace<Value>(
    _ keyPath: KeyPath<Self, Value>, _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>,
    _ new: _PersistenceRuntime.Slot<Value>
  ) {
    _$notify(keyPath) { unsafe slot.pointee = new }
  }
}

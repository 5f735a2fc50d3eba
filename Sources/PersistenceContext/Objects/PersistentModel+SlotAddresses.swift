import PersistenceRuntime
import PersistenceSupport

// Accessors of attributes hand over the address of their slot. A closure that reads it and another one that writes it would be two
// functions more in each property of each model, which take longer to compile than the rest of the accessor.
//
// Unsafe: the address is that of a stored property of this object, which the caller retains, and is not kept beyond the call. What is called
// from here writes to the slot as well, as a row that is read. So the slot is read anew after each call, and it is declared
// `@exclusivity(unchecked)`.

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

  /// Begins a change in place of an attribute: takes the value out of its slot, so that the change makes no copy. For generated code.
  ///
  /// - Returns: The value, and what is to be told of the change when it ends; nil if nothing is.
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

  /// Ends a change in place. For generated code.
  public func _$endChange<Value>(
    _ position: Int, _ change: (value: Value, observed: KeyPath<Self, Value>?),
    _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>
  ) {
    unsafe slot.pointee = .value(_$accept(change.value, at: position))
    if let keyPath = change.observed { _$endModification(keyPath) }
  }

  /// Puts what a row has into the slot of an attribute, between the notifications of observers. For generated code.
  public func _$replace<Value>(
    _ keyPath: KeyPath<Self, Value>, _ slot: UnsafeMutablePointer<_PersistenceRuntime.Slot<Value>>,
    _ new: _PersistenceRuntime.Slot<Value>
  ) {
    _$notify(keyPath) { unsafe slot.pointee = new }
  }
}

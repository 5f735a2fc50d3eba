import Observation
import PersistenceSupport

// What the accessors of generated code tell observers.

extension PersistentModel {
  /// Whether reading a property has nothing to do but to take its value. Asked after the slot, and with nothing called that
  /// could free an object, so that a loop over objects need not retain each of them (``isReadingTracked()``).
  @inlinable
  public func _$isUntracked<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) -> Bool {
    !isReadingTracked()
  }

  /// Tells observation that a property is read.
  @inlinable
  public func _$access<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) {
    if isReadingTracked() { _$noteAccess(keyPath()) }
  }

  /// Tells the object's observers that one of them reads a property, if that is so.
  @usableFromInline
  package func _$noteAccess<Value>(_ keyPath: KeyPath<Self, Value>) {
    guard confirmTracking() else { return }
    _$state.pointee.ensureObservation().registrar.access(self, keyPath: keyPath)
  }

  /// Runs a change of a property between the calls that observers get.
  @inlinable
  public func _$withMutation<Value, Result>(
    _ keyPath: @autoclosure () -> KeyPath<Self, Value>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    guard let box = _$state.pointee.observation else { return try mutation() }
    return try box.registrar.withMutation(of: self, keyPath: keyPath(), mutation)
  }

  /// Runs a change that comes from the store.
  @inlinable
  public func _$notify<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>, _ mutation: () -> Void) {
    _$withMutation(keyPath(), mutation)
  }
}

extension ModelState {
  /// Who observes the object; nil as long as nobody does.
  @inlinable package var observation: ObservationBox? { isObserved ? extras?.observation : nil }

  /// Gives the object a box when an observer first reads it. It keeps the box, whatever context it goes to.
  mutating func ensureObservation() -> ObservationBox {
    if let observation { return observation }
    let box = identityMap?.observation.take() ?? ObservationBox()
    ensureExtras().observation = box
    isObserved = true
    return box
  }
}

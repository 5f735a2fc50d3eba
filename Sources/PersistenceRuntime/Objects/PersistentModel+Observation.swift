import Observation
import PersistenceSupport

// What generated accessors report to observers.

extension PersistentModel {
  /// Whether a read needs no more than the slot's value. Called after the slot is loaded; calls nothing that could
  /// release an object, so a loop need not retain each of its objects (``isReadingTracked()``).
  @inlinable
  public func _$isUntracked<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) -> Bool {
    !isReadingTracked()
  }

  /// Whether an observer has read a property. For generated code.
  @inlinable
  public var _$isObserved: Bool { _$state.pointee.isObserved }

  /// Notifies observers after a change of an attribute. For generated code.
  public func _$didSet<Value>(_ keyPath: KeyPath<Self, Value>) {
    _$state.pointee.observation?.registrar.didSet(self, keyPath: keyPath)
  }

  /// Reports a read to observation.
  @inlinable
  public func _$access<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) {
    if isReadingTracked() { _$noteAccess(keyPath()) }
  }

  /// Registers a read with the object's observers, if reads are tracked.
  @usableFromInline
  package func _$noteAccess<Value>(_ keyPath: KeyPath<Self, Value>) {
    guard confirmTracking() else { return }
    _$state.pointee.ensureObservation().registrar.access(self, keyPath: keyPath)
  }

  /// Runs a mutation of a property between the notifications of observers.
  @inlinable
  public func _$withMutation<Value, Result>(
    _ keyPath: @autoclosure () -> KeyPath<Self, Value>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    guard let box = _$state.pointee.observation else { return try mutation() }
    return try box.registrar.withMutation(of: self, keyPath: keyPath(), mutation)
  }

  /// Runs a change of a property that comes from the store. Not inlined: such changes are rare, and each property of each
  /// model would get a copy.
  public func _$notify<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>, _ mutation: () -> Void) {
    _$withMutation(keyPath(), mutation)
  }
}

extension ModelState {
  /// The object's observation registrar; nil if it was never observed.
  @inlinable package var observation: ObservationBox? { isObserved ? extras?.observation : nil }

  /// Gives the object a registrar on the first observed read. The object keeps it when it changes its context.
  mutating func ensureObservation() -> ObservationBox {
    if let observation { return observation }
    let box = identityMap?.observation.take() ?? ObservationBox()
    ensureExtras().observation = box
    isObserved = true
    return box
  }
}

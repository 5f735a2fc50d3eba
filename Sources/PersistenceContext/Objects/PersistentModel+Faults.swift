import PersistenceRuntime
import PersistenceSupport

// Empty slots, whose values are read on access.

extension PersistentModel {
  /// The value of a property whose slot is empty: that of the row, or the default without a row. For generated code.
  ///
  /// A getter cannot throw. After an error it returns the default of the property, which is not kept, and changes that
  /// may depend on it are not saved (``FailedRead``).
  public func _$resolve<Value>(_ position: Int, slot: () -> _PersistenceRuntime.Slot<Value>, store: (Value) -> Void)
    -> Value
  {
    if case .value(let value) = slot() { return value }
    let failure = _$fulfill(position)
    if case .value(let value) = slot() {
      _$didRead(position)
      return value
    }
    // Code reads a property that is being changed in place. What it gets must not be taken for the value.
    if failure == nil, _$isDirty(position) { return _$originalValue(at: position) ?? _$default(position) }
    let value: Value = _$default(position)
    if let failure, let map = _$state.pointee.identityMap {
      _$noteFailedRead(position, failure, in: map)
    } else {
      store(value)
    }
    return value
  }

  /// Reads the row into the empty slots. Returns the error if that fails.
  @usableFromInline
  package func _$fulfill() -> (any Error)? {
    guard let map = _$state.pointee.identityMap, _$state.pointee.primaryKey != 0 else { return nil }
    do {
      try map.store.fulfill(self, in: map)
      return nil
    } catch {
      return error
    }
  }

  /// Reads the row for one property. Returns the error if that fails, or if the row has no value of the property.
  func _$fulfill(_ position: Int) -> (any Error)? {
    if let error = _$fulfill() { return error }
    guard let failure = _$state.pointee.failedRead(at: position), failure.isOfValue,
      let property = _$state.pointee.identityMap?.entity.properties[position]
    else { return nil }
    // Whether a relationship can be read is decided by the row to which it leads.
    return property.isRelationship ? nil : failure.cause
  }

  /// Sets the defaults of an object that was created during the decoding of another, without them.
  func _$completeDefaults(in entity: EntityLayout) {
    guard _$state.pointee.flags.contains(.lacksDefaults) else { return }
    _$state.pointee.flags.remove(.lacksDefaults)
    for property in entity.properties { _ = self[keyPath: property.keyPath] }
  }

  /// A stand-in for a deleted row, with the defaults of its properties.
  static func _$standIn(beside map: IdentityMap?) -> Self {
    guard let map = map.flatMap({ $0.store.identityMap(for: Self.self, beside: $0) }) else {
      return _$standIn()
    }
    return _$standIn(in: map, key: 0)
  }

  package static func _$standIn(in map: IdentityMap, key: Int64) -> Self {
    let model = NullRowReader.make(Self.self, in: map)
    // Not registered: a later row with this key gets its own object.
    model._$state.pointee.identityMap = map
    model._$state.pointee.primaryKey = key
    model._$state.pointee.flags = .gone
    return model
  }

  /// Whether the object has lost its context: its row is deleted, or its context ended before a save.
  var _$isDetached: Bool {
    let state = _$state
    guard let map = state.pointee.identityMap else { return false }
    return state.pointee.flags.contains(.gone) || (map.context == nil && state.pointee.primaryKey == 0)
  }

  /// Makes the object a new one with its current values.
  func _$becomeNew() {
    let state = _$state
    if let map = state.pointee.identityMap, state.pointee.flags.contains(.fault) || map.entity.hasExternal {
      for property in map.entity.properties { _ = self[keyPath: property.keyPath] }
    }
    state.pointee.token = nil
    state.pointee.becomeNew(self)
  }
}

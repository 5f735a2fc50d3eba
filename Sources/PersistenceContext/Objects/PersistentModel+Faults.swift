import PersistenceRuntime
import PersistenceSupport

// Slots that wait for their values.

extension PersistentModel {
  /// The value of a property whose slot is empty: the row's, or what stands for it when there is no row.
  ///
  /// Never fails, because reading a property cannot: where the row cannot be read, the default of the property is returned
  /// and not kept, and what may build on it is not saved (``FailedRead``).
  public func _$resolve<Value>(_ position: Int, slot: () -> _PersistenceRuntime.Slot<Value>, store: (Value) -> Void)
    -> Value
  {
    if case .value(let value) = slot() { return value }
    let failure = _$fulfill(position)
    if case .value(let value) = slot() {
      _$didRead(position)
      return value
    }
    let value: Value = _$default(position)
    if let failure, let map = _$state.pointee.identityMap {
      _$noteFailedRead(position, failure, in: map)
    } else {
      store(value)
    }
    return value
  }

  /// Reads the row into the slots that wait for it. Returns why that failed.
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

  /// Reads the row for the sake of one property. A value that another property cannot hold does not matter.
  func _$fulfill(_ position: Int) -> (any Error)? {
    guard let error = _$fulfill() else { return nil }
    guard let map = _$state.pointee.identityMap, ModelContext.kind(of: error) == .corruptValue else { return error }
    let property = map.entity.properties[position]
    guard !property.columns.isEmpty else { return nil }
    do {
      if try !map.store.reload(self, in: map, mask: property.bit) { _$noteMissingRow() }
      return nil
    } catch {
      return error
    }
  }

  /// Makes up for the defaults that an object lacks when user code made it while another was being decoded.
  func _$completeDefaults(in entity: EntityLayout) {
    guard _$state.pointee.flags.contains(.lacksDefaults) else { return }
    _$state.pointee.flags.remove(.lacksDefaults)
    for property in entity.properties { _ = self[keyPath: property.keyPath] }
  }

  /// An object that stands for a row that is gone: it reads as the defaults of its properties.
  static func _$standIn(beside map: IdentityMap?) -> Self {
    guard let map = map.flatMap({ $0.store.identityMap(for: Self.self, beside: $0) }) else {
      return _$standIn()
    }
    return _$standIn(in: map, key: 0)
  }

  package static func _$standIn(in map: IdentityMap, key: Int64) -> Self {
    let model = NullRowReader.make(Self.self, in: map)
    // Not registered: a row that appears later under the key gets an object of its own.
    model._$state.pointee.identityMap = map
    model._$state.pointee.primaryKey = key
    model._$state.pointee.flags = .gone
    return model
  }

  /// Whether the object belongs to a context only in name: its row is gone, or its context went before it was saved.
  var _$isDetached: Bool {
    let state = _$state
    guard let map = state.pointee.identityMap else { return false }
    return state.pointee.flags.contains(.gone) || (map.context == nil && state.pointee.primaryKey == 0)
  }

  /// Makes the object one that was never inserted, with the values that it has.
  func _$becomeNew() {
    let state = _$state
    if let map = state.pointee.identityMap, state.pointee.flags.contains(.fault) || map.entity.hasExternal {
      for property in map.entity.properties { _ = self[keyPath: property.keyPath] }
    }
    state.pointee.token = nil
    state.pointee.becomeNew(self)
  }
}

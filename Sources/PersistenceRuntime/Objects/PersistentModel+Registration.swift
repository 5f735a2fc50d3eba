import PersistenceSupport

// How an object becomes the one of a row.

extension PersistentModel {
  /// Makes the object the one of a row.
  @inlinable
  package func _$register(_ key: Int64, in map: IdentityMap, flags: ModelState.Flags) {
    _$register(key, in: map, counted: .passRetained(map), flags: flags)
  }

  /// Makes the object the one of a row, with a reference to its map that is counted already.
  @inlinable
  func _$register(_ key: Int64, in map: IdentityMap, counted: Unmanaged<IdentityMap>, flags: ModelState.Flags) {
    _$belong(to: map, counted: counted, key: key, flags: flags)
    map.register(Unmanaged.passUnretained(self).toOpaque(), key: key)
  }

  /// Makes the object, which was made of a row, the one of that, by the time that anybody looks for it. The caller holds it
  /// until the map has settled.
  @inlinable
  func _$arrive(_ key: Int64, in map: IdentityMap, counted: Unmanaged<IdentityMap>, flags: ModelState.Flags) {
    _$belong(to: map, counted: counted, key: key, flags: flags)
    map.arrive(Unmanaged.passUnretained(self).toOpaque(), key: key)
  }

  @inlinable
  @inline(__always)
  func _$belong(to map: IdentityMap, counted: Unmanaged<IdentityMap>, key: Int64, flags: ModelState.Flags) {
    let state = _$state
    state.pointee.identityMap = counted.takeRetainedValue()
    state.pointee.primaryKey = key
    state.pointee.isRegistered = true
    state.pointee.flags = flags
    if !Self._$isGenerated { map.keep(self, key: key) }
  }
}

extension PersistentModel {
  /// Makes the object one of those that were fetched together.
  @inlinable
  package func _$join(_ group: FetchGroup, key: Int64) {
    _$join(group, counted: .passRetained(group), key: key)
  }

  /// Makes the object one of those that were fetched together, with a reference that is counted already.
  @inlinable
  func _$join(_ group: FetchGroup, counted: Unmanaged<FetchGroup>, key: Int64) {
    _$state.pointee.group = counted.takeRetainedValue()
    group.keys.append(key)
  }
}

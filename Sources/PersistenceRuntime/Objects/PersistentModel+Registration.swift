import PersistenceSupport

// Registration of an object for its row.

extension PersistentModel {
  /// Registers the object for a row.
  @inlinable
  package func _$register(_ key: Int64, in map: IdentityMap, flags: ModelState.Flags) {
    _$register(key, in: map, counted: .passRetained(map), flags: flags)
  }

  /// Registers the object for a row, consuming a reference to the map.
  @inlinable
  func _$register(_ key: Int64, in map: IdentityMap, counted: Unmanaged<IdentityMap>, flags: ModelState.Flags) {
    _$belong(to: map, counted: counted, key: key, flags: flags)
    map.register(Unmanaged.passUnretained(self).toOpaque(), key: key)
  }

  @inlinable
  @inline(__always)
  func _$belong(to map: IdentityMap, counted: Unmanaged<IdentityMap>, key: Int64, flags: ModelState.Flags) {
    _$state.pointee.belong(to: counted, key: key, flags: flags)
    if !Self._$isGenerated { map.keep(self, key: key) }
  }
}

extension ModelState {
  /// Makes the object that of a row, consuming a reference to the map.
  @inlinable
  @inline(__always)
  mutating func belong(to map: Unmanaged<IdentityMap>, key: Int64, flags: Flags) {
    identityMap = map.takeRetainedValue()
    primaryKey = key
    isRegistered = true
    self.flags = flags
  }
}

extension PersistentModel {
  /// Adds the object to a fetch group.
  @inlinable
  package func _$join(_ group: FetchGroup, key: Int64) {
    _$join(group, counted: .passRetained(group), key: key)
  }

  /// Adds the object to a fetch group, consuming a reference to the group.
  @inlinable
  func _$join(_ group: FetchGroup, counted: Unmanaged<FetchGroup>, key: Int64) {
    _$state.pointee.group = counted.takeRetainedValue()
    group.keys.append(key)
  }
}

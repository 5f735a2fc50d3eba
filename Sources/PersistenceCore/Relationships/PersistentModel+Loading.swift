// Relationships that have not been read yet.

extension PersistentModel {
  /// Reads a to-one relationship whose object could not be made before its own row is read, or that has no column.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> Slot<Destination?>, store: (Destination?) -> Void
  ) -> Destination? {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap, state.pointee.primaryKey != 0 else {
      return (_$freshDefault(position) as Destination??) ?? nil
    }
    if let value = _$loaded(position, in: map, slot: slot) { return value }
    if map.store.loadReferences(at: position, to: Destination.self, of: self, in: map), case .value(let value) = slot()
    {
      return value
    }
    let value = map.store.related(Destination.self, toOne: position, of: state.pointee.primaryKey, in: map)
    store(value)
    return value
  }

  /// Reads a required to-one relationship; a missing row leaves a stand-in.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> Slot<Destination>, store: (Destination) -> Void
  ) -> Destination {
    if case .value(let value) = slot() { return value }
    let state = _$state
    if let map = state.pointee.identityMap, state.pointee.primaryKey != 0 {
      if let value = _$loaded(position, in: map, slot: slot) { return value }
      if map.store.loadReferences(at: position, to: Destination.self, of: self, in: map),
        case .value(let value) = slot()
      {
        return value
      }
      if let value = map.store.related(Destination.self, toOne: position, of: state.pointee.primaryKey, in: map) {
        store(value)
        return value
      }
    }
    return Destination._$standIn(beside: state.pointee.identityMap)
  }

  /// Reads a to-many relationship from the store.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> Slot<[Destination]>, store: ([Destination]) -> Void
  ) -> [Destination] {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap else { return _$freshDefault(position) ?? [] }
    guard state.pointee.primaryKey != 0 else { return [] }
    return _$loaded(position, in: map, slot: slot) ?? []
  }

  /// Reads an optional to-many relationship from the store; a saved object has one, be it empty.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> Slot<[Destination]?>, store: ([Destination]?) -> Void
  ) -> [Destination]? {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap else { return _$freshDefault(position) ?? nil }
    guard state.pointee.primaryKey != 0 else { return [] }
    return _$loaded(position, in: map, slot: slot) ?? []
  }

  /// What a relationship holds before it is set, read from the store if there is anything to read.
  func _$known<Value>(_ slot: Slot<Value>, resolve: () -> Value) -> Value? {
    if case .value(let value) = slot { return value }
    return _$state.pointee.primaryKey == 0 || isDeleted ? nil : resolve()
  }

  /// The value of a slot after everything was read that it may come from.
  private func _$loaded<Value>(_ position: Int, in map: IdentityMap, slot: () -> Slot<Value>) -> Value? {
    if _$state.pointee.flags.contains(.fault) { map.store.fulfill(self, in: map) }
    if case .value(let value) = slot() { return value }
    guard let relationship = map.entity.relationship(at: position), relationship.storage != .column,
      map.store.loadMembers(relationship, of: self, in: map), case .value(let value) = slot()
    else { return nil }
    return value
  }
}

// Setting and reading relationships; the overloads that the accessors of a relationship choose.

extension PersistentModel {
  /// Sets a to-one relationship.
  public func _$assign<Destination: PersistentModel>(
    _ value: Destination?, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Destination?>,
    slot: () -> Slot<Destination?>, store: (Destination?) -> Void
  ) {
    let admitted = value.flatMap { _$admit($0, at: position) }
    if value != nil, admitted == nil { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(admitted) }
  }

  /// Sets a required to-one relationship.
  public func _$assign<Destination: PersistentModel>(
    _ value: Destination, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Destination>,
    slot: () -> Slot<Destination>, store: (Destination) -> Void
  ) {
    guard let admitted = _$admit(value, at: position) else { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(admitted) }
  }

  /// Sets a to-many relationship.
  public func _$assign<Destination: PersistentModel>(
    _ value: [Destination], at position: Int, keyPath: @autoclosure () -> KeyPath<Self, [Destination]>,
    slot: () -> Slot<[Destination]>, store: ([Destination]) -> Void
  ) {
    let admitted = _$admit(value, at: position)
    guard admitted.count == value.count else { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(admitted) }
  }

  /// Sets an optional to-many relationship.
  public func _$assign<Destination: PersistentModel>(
    _ value: [Destination]?, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, [Destination]?>,
    slot: () -> Slot<[Destination]?>, store: ([Destination]?) -> Void
  ) {
    let admitted = value.map { _$admit($0, at: position) }
    guard admitted?.count == value?.count else { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(admitted) }
  }

  /// What is kept of an array that was changed in place: what may be related.
  public func _$accept<Destination: PersistentModel>(_ value: [Destination], at position: Int) -> [Destination] {
    _$admit(value, at: position)
  }

  public func _$accept<Destination: PersistentModel>(_ value: [Destination]?, at position: Int) -> [Destination]? {
    value.map { _$admit($0, at: position) }
  }

  /// What is kept of a to-one relationship that was changed in place.
  public func _$accept<Destination: PersistentModel>(_ value: Destination?, at position: Int) -> Destination? {
    value.flatMap { _$admit($0, at: position) }
  }

  private func _$admit<Destination: PersistentModel>(_ value: [Destination], at position: Int) -> [Destination] {
    guard _$state.pointee.identityMap != nil else { return value }
    return value.compactMap { _$admit($0, at: position) }
  }

  private func _$admit<Destination: PersistentModel>(_ value: Destination, at position: Int) -> Destination? {
    guard let map = _$state.pointee.identityMap, let context = map.context else { return value }
    return context.admit(value, relatedTo: self, property: map.entity.properties[position].name)
  }

  /// Reads a to-one relationship whose object could not be made before its own row is read.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> Slot<Destination?>, store: (Destination?) -> Void
  ) -> Destination? {
    let state = _$state
    guard let map = state.pointee.identityMap, state.pointee.primaryKey != 0 else {
      return (_$freshDefault(position) as Destination??) ?? nil
    }
    if state.pointee.flags.contains(.fault) { map.store.fulfill(self, in: map) }
    if case .value(let value) = slot() { return value }
    let value = map.store.related(Destination.self, toOne: position, of: state.pointee.primaryKey, in: map)
    store(value)
    return value
  }

  /// Reads a required to-one relationship; a missing row leaves a stand-in.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> Slot<Destination>, store: (Destination) -> Void
  ) -> Destination {
    let state = _$state
    if let map = state.pointee.identityMap, state.pointee.primaryKey != 0 {
      if state.pointee.flags.contains(.fault) { map.store.fulfill(self, in: map) }
      if case .value(let value) = slot() { return value }
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
    let objects: [Destination] = _$relatedObjects(position)
    store(objects)
    return objects
  }

  /// Reads an optional to-many relationship from the store; a saved object has one, be it empty.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> Slot<[Destination]?>, store: ([Destination]?) -> Void
  ) -> [Destination]? {
    let objects: [Destination] = _$relatedObjects(position)
    store(objects)
    return objects
  }

  private func _$relatedObjects<Destination: PersistentModel>(_ position: Int) -> [Destination] {
    let state = _$state
    guard let map = state.pointee.identityMap else { return _$freshDefault(position) ?? [] }
    guard state.pointee.primaryKey != 0 else { return [] }
    return map.store.related(Destination.self, to: state.pointee.primaryKey, at: position, in: map)
  }
}

// Setting and reading relationships; the overloads that the accessors of a relationship choose.

extension PersistentModel {
  /// Sets a to-one relationship.
  public func _$assign<Destination: PersistentModel>(
    _ value: Destination?, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Destination?>,
    slot: () -> Slot<Destination?>, store: (Destination?) -> Void
  ) {
    guard _$mayRelate(value, at: position) else { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(value) }
  }

  /// Sets a required to-one relationship.
  public func _$assign<Destination: PersistentModel>(
    _ value: Destination, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Destination>,
    slot: () -> Slot<Destination>, store: (Destination) -> Void
  ) {
    guard _$mayRelate(value, at: position) else { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(value) }
  }

  /// Sets a to-many relationship.
  public func _$assign<Destination: PersistentModel>(
    _ value: [Destination], at position: Int, keyPath: @autoclosure () -> KeyPath<Self, [Destination]>,
    slot: () -> Slot<[Destination]>, store: ([Destination]) -> Void
  ) {
    for element in value where !_$mayRelate(element, at: position) { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(value) }
  }

  /// Sets an optional to-many relationship.
  public func _$assign<Destination: PersistentModel>(
    _ value: [Destination]?, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, [Destination]?>,
    slot: () -> Slot<[Destination]?>, store: ([Destination]?) -> Void
  ) {
    for element in value ?? [] where !_$mayRelate(element, at: position) { return }
    _$willChange(position)
    _$withMutation(keyPath()) { store(value) }
  }

  /// Whether another object may be related to this one. A new object is inserted; one of another context is refused,
  /// and the next save says so.
  private func _$mayRelate<Destination: PersistentModel>(_ value: Destination?, at position: Int) -> Bool {
    guard let value, let map = _$state.pointee.identityMap, let context = map.context else { return true }
    guard let other = value._$state.pointee.identityMap else {
      context.insert(value)
      return true
    }
    guard other.context !== context else { return true }
    context.refuse(relating: self, to: value, property: map.entity.properties[position].name)
    return false
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

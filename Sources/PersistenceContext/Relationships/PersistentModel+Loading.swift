// Reads of relationships.

import PersistenceRuntime
import PersistenceSupport

extension PersistentModel {
  /// Reads a to-one relationship without a column, or whose object cannot be created before its row is read. For
  /// generated code.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<Destination?>, store: (Destination?) -> Void
  ) -> Destination? {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap, state.pointee.primaryKey != 0 else {
      return (_$freshDefault(position) as Destination??) ?? nil
    }
    return _$read(position, in: map, standIn: nil) {
      if let value = try _$loaded(position, in: map, slot: slot) { return value }
      if map.store.loadReferences(at: position, to: Destination.self, of: self, in: map),
        case .value(let value) = slot()
      {
        return value
      }
      let value = try map.store.related(Destination.self, toOne: position, of: state.pointee.primaryKey, in: map)
      if !_$modifiesReferences { store(value) }
      return value
    }
  }

  /// Reads a required to-one relationship; a stand-in for a deleted row. For generated code.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<Destination>, store: (Destination) -> Void
  ) -> Destination {
    if case .value(let value) = slot() { return value }
    let state = _$state
    let known: Destination? = _$read(position, in: state.pointee.identityMap, standIn: nil) {
      guard let map = state.pointee.identityMap, state.pointee.primaryKey != 0 else { return nil }
      if let value = try _$loaded(position, in: map, slot: slot) { return value }
      if map.store.loadReferences(at: position, to: Destination.self, of: self, in: map),
        case .value(let value) = slot()
      {
        return value
      }
      let value = try map.store.related(Destination.self, toOne: position, of: state.pointee.primaryKey, in: map)
      if let value, !_$modifiesReferences { store(value) }
      return value
    }
    return known ?? Destination._$standIn(beside: state.pointee.identityMap)
  }

  /// Reads a to-many relationship from the store. For generated code.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<[Destination]>, store: ([Destination]) -> Void
  ) -> [Destination] {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap else { return _$freshDefault(position) ?? [] }
    if let members: [Destination] = _$modifiedValue(at: position) { return members }
    guard state.pointee.primaryKey != 0 else { return [] }
    return _$read(position, in: map, standIn: []) { try _$loaded(position, in: map, slot: slot) ?? [] }
  }

  /// Reads an optional to-many relationship from the store; never nil for a saved object. For generated code.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<[Destination]?>, store: ([Destination]?) -> Void
  ) -> [Destination]? {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap else { return _$freshDefault(position) ?? nil }
    if let members: [Destination] = _$modifiedValue(at: position) { return members }
    guard state.pointee.primaryKey != 0 else { return [] }
    return _$read(position, in: map, standIn: []) { try _$loaded(position, in: map, slot: slot) ?? [] }
  }

  /// The members of a list that is being changed in place.
  private func _$modifiedValue<Destination: PersistentModel>(at position: Int) -> [Destination]? {
    _$modifiedMembers(at: position)?.map { unsafeDowncast($0, to: Destination.self) }
  }

  /// Reads a relationship. After an error the stand-in is returned and not kept (``FailedRead``).
  private func _$read<Value>(
    _ position: Int, in map: IdentityMap?, standIn: Value, _ read: () throws -> Value
  ) -> Value {
    do {
      let value = try read()
      _$didRead(position)
      return value
    } catch {
      if let map { _$noteFailedRead(position, error, in: map) }
      return standIn
    }
  }

  /// The value of a relationship before it is set, read on demand.
  func _$known<Value>(_ slot: Slot<Value>, resolve: () -> Value) -> Value? {
    if case .value(let value) = slot { return value }
    return _$state.pointee.primaryKey == 0 || isDeleted ? nil : resolve()
  }

  /// The value of a slot after the row and the relationship were read.
  private func _$loaded<Value>(_ position: Int, in map: IdentityMap, slot: () -> Slot<Value>) throws -> Value? {
    if _$state.pointee.flags.contains(.fault), let failure = _$fulfill(position) { throw failure }
    if case .value(let value) = slot() { return value }
    guard let relationship = map.entity.relationship(at: position), relationship.storage != .column else { return nil }
    try map.store.loadMembers(relationship, of: self, in: map)
    if case .value(let value) = slot() { return value }
    return nil
  }
}

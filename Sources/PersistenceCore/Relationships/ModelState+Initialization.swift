// What the initialiser of a model does when it sets a property that may be a relationship.

extension ModelState {
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination) {
    flags.insert(.unlinked)
  }

  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination?) {
    if value != nil { flags.insert(.unlinked) }
  }

  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: [Destination]) {
    if !value.isEmpty { flags.insert(.unlinked) }
  }

  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: [Destination]?) {
    if value?.isEmpty == false { flags.insert(.unlinked) }
  }

  @_disfavoredOverload
  @inlinable
  public mutating func _$didInitialize<Value>(_ value: Value) {}
}

import PersistenceSupport

extension _PersistenceRuntime {
  /// An operation on the slot of a relationship given by its position.
  ///
  /// Generated code finds the slot; an overload of `apply` performs the operation for the slot's type.
  public struct RelationshipSlotOperation {
    package enum Kind {
      /// Returns the slot's objects.
      case read
      /// Whether a to-many relationship contains the object; without an object, whether the slot is loaded.
      case find
      /// Sets a to-one relationship.
      case set
      /// Sets an optional to-one relationship to nil.
      case clear
      /// Appends the object to a loaded to-many relationship.
      case append
      /// Notifies observers of a change of a loaded to-many relationship.
      case announce
      /// Removes objects from a loaded to-many relationship, after observers were notified.
      case takeOut
      /// Removes objects from a loaded to-many relationship and notifies observers.
      case remove
      /// Sets the slot to what the store has. A load and no change, so observers are not notified.
      case fill
      /// Restores the former value and notifies observers.
      case restore
      /// Turns the slot into a fault.
      case release
    }

    package let kind: Kind
    package let object: AnyObject?
    /// The new objects of a to-many relationship, or the slot's objects as a result.
    package var objects: ContiguousArray<AnyObject> = []
    package var removal = ObjectSet()
    /// Whether generated code took the property for a relationship.
    package private(set) var isHandled = false
    /// Whether the slot was loaded.
    package private(set) var isLoaded = false
    /// The object that a change of an observed to-one relationship replaced. Observers may have set or restored it.
    package private(set) var replaced: AnyObject?
    package private(set) var isFound = false
    /// The number of objects in a to-many relationship after the operation.
    package private(set) var count = 0

    package init(_ kind: Kind, _ object: AnyObject? = nil) {
      self.kind = kind
      self.object = object
    }
  }
}

extension RelationshipSlotOperation {
  /// Records what a relationship without a slot contained.
  package mutating func note(_ held: ContiguousArray<AnyObject>) {
    isLoaded = true
    count = held.count + (kind == .append ? 1 : 0)
    isFound = kind == .find && held.contains { $0 === object }
  }
}

// MARK: To one

extension RelationshipSlotOperation {
  public mutating func apply<Owner: PersistentModel, Destination: PersistentModel>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, Destination?>,
    _ slot: inout _PersistenceRuntime.Slot<Destination?>
  ) {
    isHandled = true
    if case .value(let value) = slot {
      isLoaded = true
      if kind == .read, let value { objects = [value] }
    }
    switch kind {
    case .set, .clear:
      // Callers pass only objects of the destination type in the schema.
      let value = kind == .set ? object.map { unsafeDowncast($0, to: Destination.self) } : nil
      model._$withMutation(keyPath()) {
        if model._$isObserved, case .value(let held) = slot { replaced = held }
        slot = .value(value)
      }
    case .fill: slot = .value(objects.first.map { unsafeDowncast($0, to: Destination.self) })
    case .restore:
      model._$withMutation(keyPath()) { slot = .value(objects.first.map { unsafeDowncast($0, to: Destination.self) }) }
    case .release: slot = .fault
    case .read, .find, .append, .announce, .takeOut, .remove: break
    }
  }

  public mutating func apply<Owner: PersistentModel, Destination: PersistentModel>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, Destination>,
    _ slot: inout _PersistenceRuntime.Slot<Destination>
  ) {
    isHandled = true
    if case .value(let value) = slot {
      isLoaded = true
      if kind == .read { objects = [value] }
    }
    switch kind {
    case .set:
      guard let object else { return }
      model._$withMutation(keyPath()) {
        if model._$isObserved, case .value(let held) = slot { replaced = held }
        slot = .value(unsafeDowncast(object, to: Destination.self))
      }
    case .fill:
      guard let object = objects.first else { return }
      slot = .value(unsafeDowncast(object, to: Destination.self))
    case .restore:
      guard let object = objects.first else { return }
      model._$withMutation(keyPath()) { slot = .value(unsafeDowncast(object, to: Destination.self)) }
    case .release: slot = .fault
    case .read, .find, .clear, .append, .announce, .takeOut, .remove: break
    }
  }
}

// MARK: To many

extension RelationshipSlotOperation {
  public mutating func apply<Owner: PersistentModel, Destination: PersistentModel>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, [Destination]>,
    _ slot: inout _PersistenceRuntime.Slot<[Destination]>
  ) {
    apply(to: model, keyPath, &slot, members: { $0 }, value: { $0 })
  }

  public mutating func apply<Owner: PersistentModel, Destination: PersistentModel>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, [Destination]?>,
    _ slot: inout _PersistenceRuntime.Slot<[Destination]?>
  ) {
    apply(to: model, keyPath, &slot, members: { $0 ?? [] }, value: { $0 })
  }

  /// The common part of both types of to-many relationships, which differ in how a value wraps its list.
  private mutating func apply<Owner: PersistentModel, Destination: PersistentModel, Value>(
    to model: Owner, _ keyPath: () -> KeyPath<Owner, Value>, _ slot: inout Slot<Value>,
    members: (Value) -> [Destination], value: ([Destination]) -> Value
  ) {
    isHandled = true
    switch kind {
    case .fill: slot = .value(value(typed(objects)))
    case .restore: model._$withMutation(keyPath()) { slot = .value(value(typed(objects))) }
    case .release: slot = .fault
    case .read, .find: look(at: slot, members)
    case .append, .announce, .remove:
      guard case .value = slot else { return }
      model._$withMutation(keyPath()) { change(&slot, members, value) }
    case .takeOut: change(&slot, members, value)
    case .set, .clear: break
    }
  }

  private mutating func look<Destination: PersistentModel, Value>(
    at slot: Slot<Value>, _ members: (Value) -> [Destination]
  ) {
    guard case .value(let held) = slot else { return }
    let list = members(held)
    isLoaded = true
    count = list.count
    if kind == .read { objects = ContiguousArray(sharing: list) }
    if kind == .find, let object { isFound = list.lastIndex { $0 === object } != nil }
  }

  private mutating func change<Destination: PersistentModel, Value>(
    _ slot: inout Slot<Value>, _ members: (Value) -> [Destination], _ value: ([Destination]) -> Value
  ) {
    guard var list = Self.take(from: &slot, members) else { return }
    isLoaded = true
    if kind == .append, let object { list.append(unsafeDowncast(object, to: Destination.self)) }
    if kind == .takeOut || kind == .remove { removal.takeOut(of: &list) }
    count = list.count
    slot = .value(value(list))
  }

  /// Moves the list out of the slot, so that mutating it copies nothing.
  private static func take<Destination: PersistentModel, Value>(
    from slot: inout Slot<Value>, _ members: (Value) -> [Destination]
  ) -> [Destination]? {
    guard case .value(let held) = slot else { return nil }
    slot = .fault
    return members(held)
  }
  private func typed<Destination: PersistentModel>(_ objects: ContiguousArray<AnyObject>) -> [Destination] {
    // Safe: the objects are from a map that holds only this type.
    unsafe unsafeBitCast(Array(objects), to: [Destination].self)
  }

  /// Not a relationship: does nothing.
  @_disfavoredOverload
  public mutating func apply<Owner: PersistentModel, Value>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, Value>, _ slot: inout _PersistenceRuntime.Slot<Value>
  ) {}
}

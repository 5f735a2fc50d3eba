import PersistenceSupport

extension _PersistenceRuntime {
  /// Something to be done to the slot of a relationship of which only the position is known.
  ///
  /// Generated code finds the slot; the overloads of `apply` do what its type asks for.
  public struct RelationshipSlotOperation {
    package enum Kind {
      /// Tells what the slot holds.
      case read
      /// Tells whether a to-many relationship holds the object, or with none, whether the slot has a value.
      case find
      /// Makes a to-one relationship hold the object.
      case set
      /// Empties a to-one relationship that may be empty.
      case clear
      /// Adds the object at the end of a loaded to-many relationship.
      case append
      /// Tells observers that a loaded to-many relationship changes.
      case announce
      /// Takes objects out of a loaded to-many relationship. Observers have been told.
      case takeOut
      /// Takes objects out of a loaded to-many relationship, which observers hear of.
      case remove
      /// Fills the slot with what the store says.
      case fill
      /// Fills the slot with what it held before, which observers hear of.
      case restore
      /// Leaves the slot to be read when it is touched next.
      case release
    }

    package let kind: Kind
    package let object: AnyObject?
    /// What a to-many relationship is filled with, or what the slot held.
    package var objects: ContiguousArray<AnyObject> = []
    package var removal = ObjectSet()
    /// Whether the slot had a value.
    package private(set) var isLoaded = false
    package private(set) var isFound = false
    /// How many objects a to-many relationship holds afterwards.
    package private(set) var count = 0

    package init(_ kind: Kind, _ object: AnyObject? = nil) {
      self.kind = kind
      self.object = object
    }
  }
}

extension RelationshipSlotOperation {
  /// Notes what a relationship held that has no slot.
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
    if case .value(let value) = slot {
      isLoaded = true
      if kind == .read, let value { objects = [value] }
    }
    switch kind {
    case .set, .clear:
      // Only objects of the type that the schema says come here.
      let value = kind == .set ? object.map { unsafeDowncast($0, to: Destination.self) } : nil
      model._$withMutation(keyPath()) { slot = .value(value) }
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
    if case .value(let value) = slot {
      isLoaded = true
      if kind == .read { objects = [value] }
    }
    switch kind {
    case .set:
      guard let object else { return }
      model._$withMutation(keyPath()) { slot = .value(unsafeDowncast(object, to: Destination.self)) }
    case .fill, .restore:
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

  /// What both kinds of to-many relationship have in common, which differ only in how a value has its members.
  private mutating func apply<Owner: PersistentModel, Destination: PersistentModel, Value>(
    to model: Owner, _ keyPath: () -> KeyPath<Owner, Value>, _ slot: inout Slot<Value>,
    members: (Value) -> [Destination], value: ([Destination]) -> Value
  ) {
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

  /// The members, which the slot gives away while they change, so that they are not copied.
  private static func take<Destination: PersistentModel, Value>(
    from slot: inout Slot<Value>, _ members: (Value) -> [Destination]
  ) -> [Destination]? {
    guard case .value(let held) = slot else { return nil }
    slot = .fault
    return members(held)
  }
  private func typed<Destination: PersistentModel>(_ objects: ContiguousArray<AnyObject>) -> [Destination] {
    // Every object came out of a map that holds only objects of the type.
    unsafe unsafeBitCast(Array(objects), to: [Destination].self)
  }

  /// A property that is no relationship.
  @_disfavoredOverload
  public mutating func apply<Owner: PersistentModel, Value>(
    to model: Owner, _ keyPath: @autoclosure () -> KeyPath<Owner, Value>, _ slot: inout _PersistenceRuntime.Slot<Value>
  ) {}
}

// What the initialiser of a model does when it sets a property that may be a relationship.

import PersistenceRuntime
import PersistenceSupport

extension ModelState {
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination) {
    flags.insert(.unlinked)
    // Of an actor that runs elsewhere not even this may be asked.
    guard value._$isHere else { return }
    if value._$state.pointee.identityMap != nil { flags.insert(.reaching) }
  }

  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination?) {
    if let value { _$didInitialize(value) }
  }

  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: [Destination]) {
    for object in value { _$didInitialize(object) }
  }

  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: [Destination]?) {
    if let value { _$didInitialize(value) }
  }

  @_disfavoredOverload
  @inlinable
  public mutating func _$didInitialize<Value>(_ value: Value) {}
}

// Of an object whose initialiser runs only the state may be used, until every property has a value.

extension ModelState {
  /// Notes that one of the properties has a value that have to get one, and says whether all have now.
  @inlinable
  public mutating func _$isComplete(_ place: UInt32, of count: UInt32) -> Bool {
    flags.rawValue |= 1 << (Flags.firstRequired + place)
    return flags.rawValue >> Flags.firstRequired == (1 << count) - 1
  }

  /// As `_$isComplete(_:of:)`, where the state has not enough bits, and the object has a number of its own for them.
  @inlinable
  public mutating func _$isComplete(_ place: UInt32, of count: UInt32, in set: inout UInt64) -> Bool {
    set |= 1 << UInt64(place)
    return set == .max >> (64 - UInt64(count))
  }

  /// As `_$isComplete(_:of:)`, where one number has not enough bits either.
  public mutating func _$isComplete(_ place: UInt32, of count: UInt32, in sets: inout [UInt64]) -> Bool {
    if sets.isEmpty { sets = [UInt64](repeating: 0, count: (Int(count) + 63) / 64) }
    sets[Int(place / 64)] |= 1 << UInt64(place % 64)
    return sets.reduce(0) { $0 + $1.nonzeroBitCount } == Int(count)
  }

  /// Whether the object, which is complete, was related to one of a context.
  @inlinable
  public var _$isReaching: Bool { flags.contains(.reaching) }

  /// As `_$isReaching`, of a class that others inherit from: what these set besides was set before the state was there.
  @inlinable
  public mutating func _$isReaching<Model: PersistentModel>(
    _ type: Model.Type, at offset: @autoclosure () -> Int
  ) -> Bool {
    flags.contains(.reaching) || _$mayReach(type, at: offset())
  }

  @usableFromInline
  mutating func _$mayReach<Model: PersistentModel>(_ type: Model.Type, at offset: Int) -> Bool {
    guard offset > 0 else { return false }
    let object = unsafe object(of: type, at: offset)
    let actual = unsafe object._withUnsafeGuaranteedRef { Swift.type(of: $0) }
    return actual != type && !actual._$marksInitialRelationships
  }

  /// Inserts an object that is complete into the context of what its initialiser related it to, which would not hear of
  /// it otherwise.
  public mutating func _$join<Model: PersistentModel>(_ type: Model.Type, at offset: Int) {
    flags.remove(.reaching)
    guard offset > 0 else { return }
    unsafe object(of: type, at: offset).takeUnretainedValue()._$joinRelated()
  }

  /// The object that the state is a field of, which lies around it; nothing uses the state after this.
  ///
  /// The compiler does not learn from this that others may hold the object from now on. So the initialisers of such
  /// classes are not inlined: it has to take what a function returns for an object that others may hold.
  private mutating func object<Model: PersistentModel>(of type: Model.Type, at offset: Int) -> Unmanaged<Model> {
    unsafe withUnsafeMutablePointer(to: &self) { unsafe Unmanaged.fromOpaque(UnsafeMutableRawPointer($0) - offset) }
  }
}

// Where the state is in the objects of a class.

extension ModelState {
  /// How far it is from the beginning; 0 when the class was compiled without what says so.
  public static func _$offset<Model: PersistentModel>(in type: Model.Type) -> Int {
    ClassFields.offset(of: ["_$modelState", "_$ownState"], in: type)
  }
}

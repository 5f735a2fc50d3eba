// What the initialiser of a model does when it sets a property that may be a relationship.

extension ModelState {
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination) {
    flags.insert(value._$state.pointee.identityMap == nil ? .unlinked : [.unlinked, .reaching])
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
  /// Notes that one of the properties has a value that have to get one, and says whether all have now, and what was set is
  /// to be told to others.
  @inlinable
  public mutating func _$isComplete(_ place: UInt32, of count: UInt32) -> Bool {
    flags.rawValue |= 1 << (Flags.firstRequired + place)
    let all = flags.rawValue >> Flags.firstRequired
    guard all == (1 << count) - 1 else { return false }
    return flags.contains(.reaching)
  }

  /// Inserts an object that is complete into the context of what its initialiser related it to, which would not hear of
  /// it otherwise.
  public mutating func _$join<Model: PersistentModel>(_ type: Model.Type, at offset: Int) {
    flags.remove(.reaching)
    guard offset > 0 else { return }
    // The state is a field of the object, which lies around it; nothing uses the state after this.
    let object = unsafe withUnsafeMutablePointer(to: &self) { UnsafeMutableRawPointer($0) - offset }
    unsafe Unmanaged<Model>.fromOpaque(object).takeUnretainedValue()._$joinRelated()
  }

  /// Where the state is in the objects of a class; 0 when the class was compiled without what says so.
  public static func _$offset<Model: PersistentModel>(in type: Model.Type) -> Int {
    ClassFields.offset(of: "_$modelState", in: type)
  }
}

// Initialisers of models call these when they set a property that may be a relationship.

import PersistenceRuntime
import PersistenceSupport
@_spi(Reflection) import Swift

extension ModelState {
  /// For generated code.
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination) {
    flags.insert(.unlinked)
    // An actor that runs elsewhere must not be read here.
    guard value._$isHere else { return }
    if value._$state.pointee.identityMap != nil { flags.insert(.reaching) }
  }

  /// For generated code.
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination?) {
    if let value { _$didInitialize(value) }
  }

  /// For generated code.
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: [Destination]) {
    for object in value { _$didInitialize(object) }
  }

  /// For generated code.
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: [Destination]?) {
    if let value { _$didInitialize(value) }
  }

  /// For generated code.
  @_disfavoredOverload
  @inlinable
  public mutating func _$didInitialize<Value>(_ value: Value) {}
}

// Until every property of an object has a value, its initialiser may use only the state.

extension ModelState {
  /// Notes that a required property has a value; true once all have one. For generated code.
  ///
  /// - Parameters:
  ///   - index: The index of the property among the required ones.
  ///   - count: The number of required properties.
  @inlinable
  public mutating func _$isComplete(_ index: UInt32, of count: UInt32) -> Bool {
    flags.rawValue |= 1 << (Flags.firstRequired + index)
    return flags.rawValue >> Flags.firstRequired == (1 << count) - 1
  }

  /// `_$isComplete(_:of:)` for more properties than the state has bits. The object has an integer for them. For
  /// generated code.
  @inlinable
  public mutating func _$isComplete(_ index: UInt32, of count: UInt32, in set: inout UInt64) -> Bool {
    set |= 1 << UInt64(index)
    return set == .max >> (64 - UInt64(count))
  }

  /// `_$isComplete(_:of:)` for more properties than one integer has bits. For generated code.
  public mutating func _$isComplete(_ index: UInt32, of count: UInt32, in sets: inout [UInt64]) -> Bool {
    if sets.isEmpty { sets = [UInt64](repeating: 0, count: (Int(count) + 63) / 64) }
    sets[Int(index / 64)] |= 1 << UInt64(index % 64)
    return sets.reduce(0) { $0 + $1.nonzeroBitCount } == Int(count)
  }

  /// Whether the initialiser related the object to one in a context. For generated code.
  @inlinable
  public var _$isReaching: Bool { flags.contains(.reaching) }

  /// `_$isReaching` for a class that may have subclasses: their properties were set before the state existed. For
  /// generated code.
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

  /// Inserts a complete object into the context of an object that its initialiser related it to. For generated code.
  public mutating func _$join<Model: PersistentModel>(_ type: Model.Type, at offset: Int) {
    flags.remove(.reaching)
    guard offset > 0 else { return }
    unsafe object(of: type, at: offset).takeUnretainedValue()._$joinRelated()
  }

  /// The object that contains the state as a field. Nothing may use the state afterwards.
  ///
  /// The optimiser cannot see that this makes further references to the object. So the initialisers of such classes are
  /// not inlined: the result of an opaque function may have other references.
  private mutating func object<Model: PersistentModel>(of type: Model.Type, at offset: Int) -> Unmanaged<Model> {
    unsafe withUnsafeMutablePointer(to: &self) { unsafe Unmanaged.fromOpaque(UnsafeMutableRawPointer($0) - offset) }
  }
}

// The offset of the state in the objects of a class.

extension ModelState {
  /// The offset of the state; 0 if the class was compiled without field metadata. For generated code.
  public static func _$offset<Model: PersistentModel>(in type: Model.Type) -> Int {
    ClassFields.offset(of: ["_$modelState", "_$ownState"], in: type)
  }

  /// `_$offset(in:)` for a class in an extension; 0 if the extended type is generic: accessors of a generic class may
  /// write slots after the last property has a value. For generated code.
  public static func _$offset<Model: PersistentModel>(inExtension type: Model.Type) -> Int {
    let key = ObjectIdentifier(type)
    if let known = offsetsInExtensions.withLock({ $0[key] }) { return known }
    let isGeneric = String(reflecting: type).contains("<")
    let offset = isGeneric ? 0 : _$offset(in: type)
    offsetsInExtensions.withLock { $0[key] = offset }
    return offset
  }
}

/// The offsets of classes that can keep none: a macro does not know whether an extended type is generic, and a generic
/// one has no static stored properties.
private let offsetsInExtensions = Lock<[ObjectIdentifier: Int]>([:])

/// Finds the offsets of the stored properties of classes.
private enum ClassFields {
  /// The reflection option for class types.
  private static let ofClass: UInt32 = 1

  /// The offset of the first field with one of the names, in bytes; 0 if there is none.
  static func offset(of fields: [String], in type: any AnyObject.Type) -> Int {
    var result = 0
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: Self.ofClass)) { name, offset, _, _ in
      guard fields.contains(String(cString: name)) else { return true }
      result = offset
      return false
    }
    return result
  }
}

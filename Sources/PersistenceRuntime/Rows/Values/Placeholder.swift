import Foundation
import PersistenceSupport

/// The value that a property returns if its row is deleted.
///
/// Apple's framework traps on such a read. Here the property returns its default, or an empty value of its type
/// (decision 38).
package enum Placeholder {
  package static func value<T>(of property: PropertyLayout) -> T {
    standard(property) ?? emptiest(T.self) ?? transformed(property.attribute?.transformer)
      ?? KeptPlaceholders.value(of: T.self) ?? unchecked()
  }

  /// The property's default, converted from a literal if necessary.
  private static func standard<T>(_ property: PropertyLayout) -> T? {
    guard let value = ownDefault(of: property, T.self) else { return nil }
    return value as? T ?? DefaultValue.conforming(value, to: PropertyType(T.self).wrapped) as? T
  }

  /// The default. If threads cannot share its value, each call evaluates the expression in the schema again.
  private static func ownDefault<T>(of property: PropertyLayout, _ type: T.Type) -> Any? {
    guard let known = property.defaultValue, !isShareable(type) else { return property.defaultValue }
    let model = Swift.type(of: property.keyPath).rootType as? any PersistentModel.Type
    return model?.schemaMetadata.first { $0.name == property.name }?.defaultValue ?? known
  }

  /// The transformer's result for nil. Empty data is never passed: many transformers do not expect it, or trap.
  static func transformed<T>(_ transformer: ValueTransformer?) -> T? {
    transformer?.reverseTransformedValue(nil) as? T
  }

  package static func emptiest<T>(_ type: T.Type) -> T? {
    if let optional = type as? any OptionalValue.Type { return optional.missing as? T }
    if let storable = type as? any StorableValue.Type { return storable._$placeholder as? T }
    if let first = EnumCases.all(of: type)?.first { return first }
    if let model = type as? any PersistentModel.Type { return model._$standIn() as? T }
    if let known = foundationValue(type) { return known }
    if let decodable = type as? any Decodable.Type, let value = decoded(decodable) as? T { return value }
    return undecoded(type)
  }

  /// A value decoded from empty input or, if the type rejects empty input, from minimal input.
  private static func decoded<D: Decodable>(_ type: D.Type) -> Any? {
    guard ActorConformance.codesHere(type) else { return nil }
    return (try? EmptyDecoder().decode(type)) ?? (try? EmptyDecoder(filling: .least).decode(type))
  }

  /// A value of a type that rejects minimal input or is not Decodable.
  static func undecoded<T>(_ type: T.Type) -> T? {
    literal(type) ?? zero(type) ?? byFields(type)
  }

  /// Creates a struct field by field.
  private static func byFields<T>(_ type: T.Type) -> T? {
    guard let fields = StructFields.stored(in: type) else { return nil }
    let writers = fields.compactMap { writer(of: $0) }
    guard writers.count == fields.count else { return nil }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let memory = buffer.baseAddress else { return nil }
      // The fields cover the struct's memory, so all of it is initialised.
      for write in writers { write(UnsafeMutableRawPointer(memory)) }
      return memory.move()
    }
  }

  /// Returns a closure that initialises a field in its struct's memory; nil if the field's type has no placeholder.
  private static func writer(of field: StructField) -> ((UnsafeMutableRawPointer) -> Void)? {
    func writer<Value>(_ type: Value.Type) -> ((UnsafeMutableRawPointer) -> Void)? {
      guard let value = emptiest(type) else { return nil }
      return { ($0 + field.offset).initializeMemory(as: Value.self, to: value) }
    }
    return _openExistential(field.type, do: writer)
  }

  /// An empty collection.
  private static func literal<T>(_ type: T.Type) -> T? {
    func array<C: ExpressibleByArrayLiteral>(_: C.Type) -> Any { [] as C }
    func dictionary<C: ExpressibleByDictionaryLiteral>(_: C.Type) -> Any { [:] as C }
    if let type = type as? any ExpressibleByArrayLiteral.Type { return array(type) as? T }
    return (type as? any ExpressibleByDictionaryLiteral.Type).flatMap { dictionary($0) as? T }
  }

  /// A value whose bytes are all zero. For a trivial type it is valid: the first case of an enum, or a struct of zeros.
  /// For a type with references, zero bytes would be an invalid null pointer.
  private static func zero<T>(_ type: T.Type) -> T? {
    guard _isPOD(type) else { return nil }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      UnsafeMutableRawBufferPointer(buffer).initializeMemory(as: UInt8.self, repeating: 0)
      return buffer[0]
    }
  }

  /// Traps, because no placeholder exists and reading a property cannot throw.
  ///
  /// No data, file or schema causes this trap. A container opens only if every property of its models has a default or
  /// a placeholder (``SchemaChecks``), and objects without a container have their initial values. The remaining case is
  /// a model whose type no container knows and whose backing data lacks the value.
  private static func unchecked<T>() -> T {
    fatalError(
      "there is no value of type \(T.self), which was read: a model that no container knows was made without one; set "
        + "it first, or give the property a default")
  }
}

extension PropertyLayout {
  /// The layout of a property that belongs to an object without a schema.
  package static let unnamed = PropertyLayout(
    name: "", position: 0, keyPath: \PropertyLayout.name, valueType: Any.self, isOptional: true, isUnique: false,
    defaultValue: nil, kind: .attribute, columns: [])
}

/// Placeholders of Foundation types that cannot be decoded from minimal input, or need a transformer to be stored.
///
/// Some of these types would decode empty input to unsound values: a time zone that changes with the system's, and a
/// character set that crashes on deallocation.
extension Placeholder {
  static func foundationValue<T>(_ type: T.Type) -> T? {
    if let make = makers[ObjectIdentifier(type)] { return make() as? T }
    return nil
  }

  private static let makers: [ObjectIdentifier: @Sendable () -> Any] = [
    ObjectIdentifier(TimeZone.self): { TimeZone.gmt },
    ObjectIdentifier(Calendar.self): { Calendar(identifier: .gregorian) },
    ObjectIdentifier(Locale.self): { Locale(identifier: "") },
    ObjectIdentifier(CharacterSet.self): { CharacterSet() },
    ObjectIdentifier(NSString.self): { NSString() },
    ObjectIdentifier(NSNumber.self): { NSNumber(value: 0) },
    ObjectIdentifier(NSData.self): { NSData() },
    ObjectIdentifier(NSDate.self): { NSDate(timeIntervalSinceReferenceDate: 0) },
    ObjectIdentifier(NSUUID.self): { NSUUID(uuidString: "00000000-0000-0000-0000-000000000000") ?? NSUUID() },
    ObjectIdentifier(NSURL.self): { NSURL(fileURLWithPath: "/") },
    ObjectIdentifier(NSArray.self): { NSArray() },
    ObjectIdentifier(NSDictionary.self): { NSDictionary() },
    ObjectIdentifier(NSSet.self): { NSSet() },
    ObjectIdentifier(NSMutableString.self): { NSMutableString(string: "") },
    ObjectIdentifier(NSMutableData.self): { NSMutableData() },
    ObjectIdentifier(NSMutableArray.self): { NSMutableArray() },
    ObjectIdentifier(NSMutableDictionary.self): { NSMutableDictionary() },
    ObjectIdentifier(NSMutableSet.self): { NSMutableSet() },
    ObjectIdentifier(NSAttributedString.self): { NSAttributedString(string: "") },
  ]
}

/// Stored placeholders of types without an empty value (decision 38), for the life of the process.
///
/// Contains one value of each such type that a property without a default uses: types with a custom `init(from:)`, and
/// results of transformers. A type that produced two values when the container opened
/// (``Placeholder/isAvailable(_:transformer:)``) may produce none later, but a read must return a value. It then
/// returns the stored value, even if this is an object, which readers then share.
package enum KeptPlaceholders {
  private struct Kept: @unchecked Sendable {
    // Unchecked: users' types need not be Sendable. The lock protects the copying; no code here accesses the values.
    let value: Any
  }

  private static let values = Lock<[ObjectIdentifier: Kept]>([:])

  /// The stored placeholder of a type; nil if there is none.
  static func value<T>(of type: T.Type) -> T? {
    guard let kept = values.withLock({ $0[ObjectIdentifier(type)] }) else { return nil }
    return kept.value as? T
  }

  static func has(_ type: any Any.Type) -> Bool {
    values.withLock { $0[ObjectIdentifier(type)] != nil }
  }

  static func keep(_ value: Any, for type: any Any.Type) {
    let kept = Kept(value: value)
    values.withLock { $0[ObjectIdentifier(type)] = kept }
  }
}

/// When a container opens, checks that every property has a placeholder, before any row can be deleted.
extension Placeholder {
  /// Whether a type has an empty value that can be created without code of the type. Nearly all types have one.
  package static func isCertain(_ type: any Any.Type) -> Bool {
    if type is any OptionalValue.Type || type is any StorableValue.Type { return true }
    if type is any SchemaArray.Type || type is any SchemaCollection.Type { return true }
    if type is any PersistentModel.Type { return true }
    func isBytes<T>(_ type: T.Type) -> Bool { _isPOD(type) }
    return _openExistential(type, do: isBytes)
  }

  /// Values are created by one thread at a time, because their creation runs code of their types.
  private static let making = NSRecursiveLock()

  /// Whether a placeholder can be created. Stores the created one, because the type's code might fail later.
  package static func isAvailable(_ type: any Any.Type, transformer: ValueTransformer?) -> Bool {
    if KeptPlaceholders.has(type) { return true }
    return making.withLock { make(type, transformer: transformer) }
  }

  private static func make(_ type: any Any.Type, transformer: ValueTransformer?) -> Bool {
    // Another thread may have created a value in the meantime, and the type may be unable to create a second one.
    if KeptPlaceholders.has(type) { return true }
    func made<T>(_ type: T.Type) -> Any? { (emptiest(type) ?? transformed(transformer)) as T? }
    guard let value = _openExistential(type, do: made) else { return false }
    // Values of a type with isolated decoding can be created only on its actor, but a read elsewhere must not trap.
    if isShareable(type) || ActorConformance.isCodedInActor(type) {
      KeptPlaceholders.keep(value, for: type)
      return true
    }
    // Each reader needs a separate value, so the type must be able to create a second one.
    guard let another = _openExistential(type, do: made) else { return false }
    KeptPlaceholders.keep(another, for: type)
    return true
  }

  /// Whether copies of a value share no mutable state, so that all threads may use the same value.
  ///
  /// True for directly stored values, collections and structs of them, and trivial types. False for classes and types
  /// that may contain an object.
  static func isShareable(_ type: any Any.Type) -> Bool {
    if let optional = type as? any OptionalValue.Type { return isShareable(optional.wrappedType) }
    if type is any StorableValue.Type { return true }
    if let array = type as? any SchemaArray.Type { return isShareable(array.elementType) }
    func isPlain<T>(_ type: T.Type) -> Bool {
      if _isPOD(type) { return true }
      guard let fields = StructFields.stored(in: type) else { return false }
      return fields.allSatisfy { isShareable($0.type) }
    }
    return _openExistential(type, do: isPlain)
  }
}

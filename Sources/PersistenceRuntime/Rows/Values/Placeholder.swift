import Foundation
import PersistenceSupport

/// What stands for the value of a property whose row is gone.
///
/// Apple's framework traps there. A model that stands in for a missing row still has to answer, so it answers with the
/// default of the property, or with the emptiest value that its type has.
package enum Placeholder {
  package static func value<T>(of property: PropertyLayout) -> T {
    standard(property) ?? emptiest(T.self) ?? transformed(property.attribute?.transformer)
      ?? KeptPlaceholders.value(of: T.self) ?? unchecked()
  }

  /// The property's default, which may be a literal that only the property's type tells the meaning of.
  private static func standard<T>(_ property: PropertyLayout) -> T? {
    guard let value = ownDefault(of: property, T.self) else { return nil }
    return value as? T ?? DefaultValue.conforming(value, to: PropertyType(T.self).wrapped) as? T
  }

  /// The default, made anew where it can be changed or has an object inside: that of the layout is there for all threads.
  private static func ownDefault<T>(of property: PropertyLayout, _ type: T.Type) -> Any? {
    guard let known = property.defaultValue, !isShareable(type) else { return property.defaultValue }
    let model = Swift.type(of: property.keyPath).rootType as? any PersistentModel.Type
    return model?.schemaMetadata.first { $0.name == property.name }?.defaultValue ?? known
  }

  /// What a transformer makes of no data. Of empty data it is never asked: many do not expect that, and some stop the
  /// program.
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

  /// A value decoded from nothing, or from the least there is where a type does not take nothing.
  private static func decoded<D: Decodable>(_ type: D.Type) -> Any? {
    guard ActorConformance.codesHere(type) else { return nil }
    return (try? EmptyDecoder().decode(type)) ?? (try? EmptyDecoder(filling: .least).decode(type))
  }

  /// A value of a type that refuses to be decoded from anything empty, or cannot be decoded.
  static func undecoded<T>(_ type: T.Type) -> T? {
    literal(type) ?? zero(type) ?? byFields(type)
  }

  /// A struct, field by field.
  private static func byFields<T>(_ type: T.Type) -> T? {
    guard let fields = StructFields.stored(in: type) else { return nil }
    let writers = fields.compactMap { writer(of: $0) }
    guard writers.count == fields.count else { return nil }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let memory = buffer.baseAddress else { return nil }
      // The fields are all that the struct has in memory.
      for write in writers { write(UnsafeMutableRawPointer(memory)) }
      return memory.move()
    }
  }

  /// What initialises a field in the memory of its struct; nil when there is no value of the field.
  private static func writer(of field: StructField) -> ((UnsafeMutableRawPointer) -> Void)? {
    func writer<Value>(_ type: Value.Type) -> ((UnsafeMutableRawPointer) -> Void)? {
      guard let value = emptiest(type) else { return nil }
      return { ($0 + field.offset).initializeMemory(as: Value.self, to: value) }
    }
    return _openExistential(field.type, do: writer)
  }

  /// An empty collection of whatever elements.
  private static func literal<T>(_ type: T.Type) -> T? {
    func array<C: ExpressibleByArrayLiteral>(_: C.Type) -> Any { [] as C }
    func dictionary<C: ExpressibleByDictionaryLiteral>(_: C.Type) -> Any { [:] as C }
    if let type = type as? any ExpressibleByArrayLiteral.Type { return array(type) as? T }
    return (type as? any ExpressibleByDictionaryLiteral.Type).flatMap { dictionary($0) as? T }
  }

  /// A value of zero bytes, which is a value of every type without references: the first case of an enum, a structure of
  /// zeros. With references they would be a null pointer, which no Swift code may touch.
  private static func zero<T>(_ type: T.Type) -> T? {
    guard _isPOD(type) else { return nil }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      UnsafeMutableRawBufferPointer(buffer).initializeMemory(as: UInt8.self, repeating: 0)
      return buffer[0]
    }
  }

  /// There is no value, and reading a property cannot fail.
  ///
  /// No data, file or schema leads here: a container opens only when each property of its models has a default, which
  /// its layouts keep, or a type of which a value was made and kept for good (``SchemaChecks``), and objects without a
  /// container have the values that they were made with. What is left is code that puts a model together with
  /// backing data that never had the value, and that no container knows.
  private static func unchecked<T>() -> T {
    fatalError(
      "there is no value of type \(T.self), which was read: a model that no container knows was made without one; set "
        + "it first, or give the property a default")
  }
}

import Foundation

/// What stands for the value of a property whose row is gone.
///
/// Apple's framework traps there. A model that stands in for a missing row still has to answer, so it answers with the
/// default of the property, or with the emptiest value that its type has.
enum Placeholder {
  static func value<T>(of property: PropertyLayout) -> T {
    if let value = property.defaultValue as? T { return value }
    return emptiest(T.self) ?? transformed(property) ?? zeroed()
  }

  /// What the property's transformer makes of nothing.
  private static func transformed<T>(_ property: PropertyLayout) -> T? {
    guard let transformer = property.attribute?.transformer else { return nil }
    return (transformer.reverseTransformedValue(Data()) ?? transformer.reverseTransformedValue(nil)) as? T
  }

  static func emptiest<T>(_ type: T.Type) -> T? {
    if let optional = type as? any OptionalValue.Type { return optional.missing as? T }
    if let storable = type as? any StorableValue.Type { return storable._$placeholder as? T }
    if let iterable = type as? any CaseIterable.Type { return first(of: iterable) as? T }
    if let decodable = type as? any Decodable.Type, let value = decoded(decodable) as? T { return value }
    if let model = type as? any PersistentModel.Type { return model._$standIn(beside: nil) as? T }
    return StructLayout.layout(of: type).flatMap { emptiest(type, $0) }
  }

  /// A value decoded from nothing, or from the least there is where a type does not take nothing.
  private static func decoded<D: Decodable>(_ type: D.Type) -> Any? {
    (try? D(from: EmptyDecoder())) ?? (try? D(from: EmptyDecoder(filling: .least)))
  }

  /// A struct that cannot be decoded from nothing, field by field.
  private static func emptiest<T>(_ type: T.Type, _ layout: StructLayout) -> T? {
    withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let memory = buffer.baseAddress, layout.initializeEmpty(UnsafeMutableRawPointer(memory)) else { return nil }
      return memory.move()
    }
  }

  private static func first<C: CaseIterable>(of type: C.Type) -> Any? {
    type.allCases.first
  }

  /// A value of zero bytes: the first case of an enum without payloads, a structure of zeros.
  ///
  /// Reached only by a type with neither default, cases, a transformer that takes nothing, nor a way to be decoded from
  /// nothing or next to nothing. For every type without references, zero bytes are a value; with references they are a
  /// null pointer that no Swift code may touch, so the program stops here rather than later. What is left: a class, or a
  /// value with references in it, whose own `init(from:)` refuses both, or which only a transformer makes of real bytes.
  private static func zeroed<T>() -> T {
    guard _isPOD(T.self) else {
      fatalError(
        "a model stands in for a missing row, and no value of \(T.self) can be made; give the property a default")
    }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return buffer[0]
    }
  }
}

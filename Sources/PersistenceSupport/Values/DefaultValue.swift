import Foundation

/// Converts the default values in a model's generated metadata to the types of their properties.
///
/// The default of `var price: Double = 0` is an `Int` in the metadata, because there the compiler sees the literal `0`
/// without the type. So a value that is a valid literal of the property's type is converted to that type.
package enum DefaultValue {
  /// Unwraps nested optionals; returns nil if any of them is nil.
  package static func unwrapped(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any OptionalValue else { return value }
    return unwrapped(optional.wrappedValue)
  }

  /// Converts a default value to the type of its property; nil if it cannot be converted.
  package static func conforming(_ value: Any, to type: any Any.Type) -> Any? {
    if isInstance(value, of: type) { return value }
    return literal(value, of: type) ?? collection(value, of: type)
  }

  private static func isInstance<T>(_ value: Any, of type: T.Type) -> Bool { value is T }

  private static func literal(_ value: Any, of type: any Any.Type) -> Any? {
    switch value {
    case let integer as Int:
      if let type = type as? any ExpressibleByIntegerLiteral.Type { return make(type, integer) }
    case let number as Double:
      if let type = type as? any ExpressibleByFloatLiteral.Type { return make(type, number) }
    case let text as String:
      if let type = type as? any ExpressibleByStringLiteral.Type { return make(type, text) }
    default: break
    }
    return nil
  }

  private static func make<T: ExpressibleByIntegerLiteral>(_ type: T.Type, _ value: Int) -> Any? {
    if let integer = T.self as? any FixedWidthInteger.Type { return exactly(integer, value) }
    if let literal = value as? T.IntegerLiteralType { return T(integerLiteral: literal) }
    guard let widened = exactly(T.IntegerLiteralType.self, value) as? T.IntegerLiteralType else { return nil }
    return T(integerLiteral: widened)
  }

  private static func exactly(_ type: any Any.Type, _ value: Int) -> Any? {
    func integer<T: FixedWidthInteger>(_: T.Type) -> T? { T(exactly: value) }
    func number<T: BinaryFloatingPoint>(_: T.Type) -> T { T(value) }
    if let type = type as? any FixedWidthInteger.Type { return integer(type) }
    if let type = type as? any BinaryFloatingPoint.Type { return number(type) }
    return nil
  }

  private static func make<T: ExpressibleByFloatLiteral>(_ type: T.Type, _ value: Double) -> Any? {
    func number<N: BinaryFloatingPoint>(_: N.Type) -> Any { N(value) }
    if let literal = value as? T.FloatLiteralType { return T(floatLiteral: literal) }
    guard let literalType = T.FloatLiteralType.self as? any BinaryFloatingPoint.Type else { return nil }
    guard let narrowed = number(literalType) as? T.FloatLiteralType else { return nil }
    return T(floatLiteral: narrowed)
  }

  private static func make<T: ExpressibleByStringLiteral>(_ type: T.Type, _ value: String) -> Any? {
    (value as? T.StringLiteralType).map { T(stringLiteral: $0) }
  }

  // A literal initialiser cannot be called with an array's elements. So the array is encoded and decoded as the type.
  private static func collection(_ value: Any, of type: any Any.Type) -> Any? {
    let isCollectionType = type is any ExpressibleByArrayLiteral.Type || type is any ExpressibleByDictionaryLiteral.Type
    guard isCollectionType, value is any Collection, !(value is String) else { return nil }
    guard let value = value as? any Encodable, let type = type as? any Decodable.Type else { return nil }
    guard let written = try? JSONEncoder().encode(value) else { return nil }
    return try? JSONDecoder().decode(type, from: written)
  }
}

/// An optional, for code that does not know the type of the wrapped value.
package protocol OptionalValue {
  static var wrappedType: any Any.Type { get }
  static var missing: Self { get }
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  package static var wrappedType: any Any.Type { Wrapped.self }
  package static var missing: Wrapped? { nil }
  package var wrappedValue: Any? { map { $0 as Any } }
}

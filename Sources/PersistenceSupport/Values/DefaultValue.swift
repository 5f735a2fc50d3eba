import Foundation

/// Converts the defaults of properties, which metadata stores untyped.
///
/// The default of `var price: Double = 0` arrives as an `Int`, because metadata repeats the default's source without
/// its context. So a value that the compiler accepts as a literal of the property's type is converted to that type.
package enum DefaultValue {
  /// Unwraps nested optionals; nil for a nil at any depth.
  package static func unwrapped(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any OptionalValue else { return value }
    return unwrapped(optional.wrappedValue)
  }

  /// Converts a default to its property's type; nil if that is impossible.
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

  // A collection literal cannot be created from an array of unknown length. So the value is encoded and decoded.
  private static func collection(_ value: Any, of type: any Any.Type) -> Any? {
    let isCollectionType = type is any ExpressibleByArrayLiteral.Type || type is any ExpressibleByDictionaryLiteral.Type
    guard isCollectionType, value is any Collection, !(value is String) else { return nil }
    guard let value = value as? any Encodable, let type = type as? any Decodable.Type else { return nil }
    guard let written = try? JSONEncoder().encode(value) else { return nil }
    return try? JSONDecoder().decode(type, from: written)
  }
}

/// An optional of any wrapped type, for code that does not know the type.
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

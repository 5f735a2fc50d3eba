import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Decides whether two values of a property are stored identically.
package enum StoredEquality {
  /// Compares the members of a struct one by one, because texts that are equal by `==` may have different stored forms.
  package static func areSame(_ left: Any, _ right: Any, as property: PropertyLayout) -> Bool {
    property.composite?.isStored(declared(left), as: declared(right)) ?? areSame(left, right)
  }

  /// Removes the optional that reading a value by an `AnyKeyPath` adds.
  private static func declared(_ value: Any) -> Any {
    guard type(of: value) == Any?.self, let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue ?? value
  }

  /// The result of ``areSame(_:_:)`` for the most frequent types, which need no dynamic look-up of a conformance; else
  /// nil.
  package static func areSamePlain(_ left: Any, _ right: Any) -> Bool? {
    switch (left, right) {
    case (let left as Int, let right as Int): left == right
    case (let left as String, let right as String): left._$isStored(as: right)
    case (let left as Double, let right as Double): left._$isStored(as: right)
    case (let left as Bool, let right as Bool): left == right
    default: nil
    }
  }

  package static func areSame(_ left: Any, _ right: Any) -> Bool {
    let (left, right) = (DefaultValue.unwrapped(left), DefaultValue.unwrapped(right))
    guard let left, let right else { return left == nil && right == nil }
    if let value = left as? any StorableValue { return isStored(value, as: right) }
    if let text = spelling(of: left), let other = spelling(of: right) { return text._$isStored(as: other) }
    if let value = left as? any Equatable, isEqual(value, to: right) { return true }
    // A value that does not equal itself, such as a structure with a NaN, may still have the same encoding.
    if let value = left as? any Encodable, let other = right as? any Encodable, let text = text(value) {
      return text == self.text(other)
    }
    return (left as? NSObject).map { $0.isEqual(right) } ?? false
  }

  /// Whether two values are encoded alike. Equality by `==` is not enough: sets encode their elements in any order, and
  /// some types ignore properties in `==`.
  package static func areStoredAlike(_ left: Any, _ right: Any, as property: PropertyLayout) -> Bool {
    if differ(left, right) { return false }
    guard property.composite == nil, let value = DefaultValue.unwrapped(left), !(value is any StorableValue),
      spelling(of: value) == nil, let other = DefaultValue.unwrapped(right), let value = value as? any Encodable,
      let other = other as? any Encodable
    else { return areSame(left, right, as: property) }
    // Encodes each value only once, regardless of whether the two are equal.
    return text(value).map { $0 == text(other) } ?? areSame(left, right)
  }

  /// Whether `==` proves that two values differ, so that they need not be encoded. The result of `==` is not used if a
  /// value does not equal itself.
  private static func differ(_ left: Any, _ right: Any) -> Bool {
    guard let left = left as? any Equatable else { return false }
    return differ(left, from: right)
  }

  private static func differ<Value: Equatable>(_ left: Value, from right: Any) -> Bool {
    guard let right = right as? Value else { return false }
    return left != right && left == left && right == right
  }

  private static func isStored<Value: StorableValue>(_ value: Value, as other: Any) -> Bool {
    (other as? Value).map(value._$isStored) ?? false
  }

  /// The raw value, if it is a text that must be read back exactly as written; nil for other values, and for enums.
  private static func spelling(of value: Any) -> String? {
    guard let raw = RawStorage.value(of: value), RawStorage.keepsOriginals(type(of: value)) else { return nil }
    func rawValue<Value: RawRepresentable>(_ value: Value) -> String? { value.rawValue as? String }
    return rawValue(raw)
  }

  private static func isEqual<Value: Equatable>(_ value: Value, to other: Any) -> Bool {
    (other as? Value).map { $0 == value } ?? false
  }

  private static func text(_ value: some Encodable) -> String? { try? JSONText.encode(value) }

  /// The description of a value in errors.
  package static func describe(_ value: Any?) -> String {
    guard let value = DefaultValue.unwrapped(value) else { return "nil" }
    return value is String ? "\"\(value)\"" : "\(value)"
  }
}

import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Whether two values of a property have the same stored form.
enum StoredEquality {
  /// Members of a struct are compared one by one: texts that are equal may be stored differently.
  static func areSame(_ left: Any, _ right: Any, as property: PropertyLayout) -> Bool {
    property.composite?.isStored(declared(left), as: declared(right)) ?? areSame(left, right)
  }

  /// The value without the optional in which a key path of any type gives it.
  private static func declared(_ value: Any) -> Any {
    guard type(of: value) == Any?.self, let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue ?? value
  }

  static func areSame(_ left: Any, _ right: Any) -> Bool {
    let (left, right) = (unwrapped(left), unwrapped(right))
    guard let left, let right else { return left == nil && right == nil }
    if let value = left as? any StorableValue { return isStored(value, as: right) }
    if let value = left as? any Equatable, isEqual(value, to: right) { return true }
    // A value that does not equal itself, such as a structure with a NaN, may have the same encoding.
    if let value = left as? any Encodable, let other = right as? any Encodable, let text = text(value) {
      return text == self.text(other)
    }
    return (left as? NSObject).map { $0.isEqual(right) } ?? false
  }

  private static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue.flatMap(unwrapped)
  }

  private static func isStored<Value: StorableValue>(_ value: Value, as other: Any) -> Bool {
    (other as? Value).map(value._$isStored) ?? false
  }

  private static func isEqual<Value: Equatable>(_ value: Value, to other: Any) -> Bool {
    (other as? Value).map { $0 == value } ?? false
  }

  private static func text(_ value: some Encodable) -> String? { try? JSONText.encode(value) }

  /// The description of a value in errors.
  static func describe(_ value: Any?) -> String {
    guard let value = value.flatMap(unwrapped) else { return "nil" }
    return value is String ? "\"\(value)\"" : "\(value)"
  }
}

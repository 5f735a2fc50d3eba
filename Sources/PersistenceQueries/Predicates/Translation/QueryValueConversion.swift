import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Converts values in predicates to their stored representation.
enum QueryValueConversion {
  // The specialised versions need no cast, which is the main cost of a conversion. The generic version selects them by
  // comparing metatypes.
  @specialized(where Value == Int)
  @specialized(where Value == String)
  @specialized(where Value == Bool)
  @specialized(where Value == Double)
  @specialized(where Value == Date)
  @specialized(where Value == UUID)
  @specialized(where Value == Int?)
  @specialized(where Value == String?)
  @specialized(where Value == Bool?)
  @specialized(where Value == Double?)
  @specialized(where Value == Date?)
  @specialized(where Value == UUID?)
  static func convert<Value>(_ value: Value) throws(UntranslatableExpression) -> QueryValue {
    if let value = value as? any QueryValueConvertible { return value.queryValue }
    return try convertOther(value)
  }

  /// The stored representations of a collection's elements. Omits NaN, which equals no value.
  @specialized(where Values == [Int])
  @specialized(where Values == [String])
  @specialized(where Values == [UUID])
  @specialized(where Values == Set<Int>)
  @specialized(where Values == Set<String>)
  @specialized(where Values == Set<UUID>)
  static func list<Values: Sequence>(of values: Values) throws(UntranslatableExpression) -> [QueryValue] {
    var list: [QueryValue] = []
    list.reserveCapacity(values.underestimatedCount)
    for value in values {
      let converted = try convert(value)
      if !converted.isNotANumber { list.append(converted) }
    }
    return list
  }

  /// Converts the other types: optionals, values with a raw value, models, and values that are stored as JSON.
  private static func convertOther<Value>(_ value: Value) throws(UntranslatableExpression) -> QueryValue {
    if let optional = value as? any OptionalQueryValue { return try optional.convertWrapped() }
    if let raw = RawStorage.value(of: value), let converted = convertRawValue(of: raw) { return converted }
    if let model = value as? any PersistentModel { return model.persistentModelID.queryValue }
    guard let value = value as? any Encodable, !(value is any UnorderedValue), WrittenForm.isUnique(value) else {
      throw UntranslatableExpression("a comparison with a value of type \(Value.self), which has no one stored form")
    }
    return try convertToJSON(value)
  }

  /// Returns nil if no column stores the raw value directly.
  private static func convertRawValue<Value: RawRepresentable>(of value: Value) -> QueryValue? {
    (value.rawValue as? any QueryValueConvertible)?.queryValue
  }

  private static func convertToJSON(_ value: some Encodable) throws(UntranslatableExpression) -> QueryValue {
    do {
      return .text(try JSONText.encode(value), .json)
    } catch {
      throw UntranslatableExpression("a comparison with a \(type(of: value)) that does not encode itself: \(error)")
    }
  }
}

/// An optional of any wrapped type.
private protocol OptionalQueryValue {
  func convertWrapped() throws(UntranslatableExpression) -> QueryValue
}

extension Optional: OptionalQueryValue {
  fileprivate func convertWrapped() throws(UntranslatableExpression) -> QueryValue {
    guard let self else { return .null }
    return try QueryValueConversion.convert(self)
  }
}

/// A value whose encoding has no deterministic order.
private protocol UnorderedValue {}

extension Set: UnorderedValue {}
extension Dictionary: UnorderedValue {}

import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The models' values at a key path, as sort keys.
struct PropertyValues<T: PersistentModel> {
  let models: [T]
  let keyPath: PartialKeyPath<T>

  /// The values as an optional or non-optional type; nil if they have another type.
  func all<Value>(_ type: Value.Type) -> [Value?]? {
    if let keyPath = keyPath as? KeyPath<T, Value> { return models.map { $0[keyPath: keyPath] } }
    if let keyPath = keyPath as? KeyPath<T, Value?> { return models.map { $0[keyPath: keyPath] } }
    return nil
  }

  /// The sort keys; nil if the values have no order.
  var keys: (any SortKeys)? {
    let declared = type(of: keyPath).valueType
    let wrapped = (declared as? any OptionalValue.Type)?.wrappedType ?? declared
    return floatingKeys(wrapped) ?? otherKeys(wrapped)
  }

  private func floatingKeys(_ type: any Any.Type) -> (any SortKeys)? {
    if type == Double.self { return all(Double.self).map { NumberKeys(numbers: $0) } }
    if type == Float.self { return all(Float.self).map { NumberKeys(numbers: $0.map { $0.map(Double.init) }) } }
    guard type == Date.self else { return nil }
    return all(Date.self).map { NumberKeys(numbers: $0.map { $0?.timeIntervalSinceReferenceDate }) }
  }

  private func otherKeys(_ type: any Any.Type) -> (any SortKeys)? {
    if type == String.self { return all(String.self).map { FormKeys(texts: $0) } }
    if type == Decimal.self { return all(Decimal.self).map { DecimalKeys(numbers: $0) } }
    if type == LocalizedStandardText.self {
      return all(LocalizedStandardText.self).map { TextKeys(texts: $0.map { $0?.text }, order: .localizedStandard) }
    }
    if type == LocalizedText.self {
      return all(LocalizedText.self).map { TextKeys(texts: $0.map { $0?.text }, order: .localized) }
    }
    return (type as? any Comparable.Type).flatMap { comparableKeys($0) }
  }

  private func comparableKeys<Value: Comparable>(_ type: Value.Type) -> (any SortKeys)? {
    all(type).map { ComparableKeys(values: $0) }
  }
}

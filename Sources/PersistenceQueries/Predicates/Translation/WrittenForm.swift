import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Tests whether values have unique JSON. If they do, a store can compare their JSON instead of the values.
enum WrittenForm {
  /// Whether equal values have equal JSON, and unequal values have unequal JSON.
  ///
  /// Four kinds of values have no unique JSON: 0 and -0 are equal but have different JSON, NaN equals no value,
  /// decimals keep their trailing digits, and the elements of a set are in any order.
  static func isUnique(_ value: Any) -> Bool {
    switch value {
    case let number as Double: return number != 0 && !number.isNaN
    case let number as Float: return number != 0 && !number.isNaN
    case let date as Date: return isUnique(date.timeIntervalSinceReferenceDate)
    case is Decimal: return false
    case is String, is UUID, is Data, is URL: return true
    default: return hasUniqueParts(value)
    }
  }

  /// Whether all values of a type have unique JSON.
  static func isUnique(type: any Any.Type) -> Bool {
    let type = (type as? any OptionalValue.Type)?.wrappedType ?? type
    if type is any QueryValueConvertible.Type || type is any PersistentModel.Type { return true }
    if let raw = RawStorage.type(of: type) { return isRawValueUnique(of: raw) }
    guard let list = type as? any ListedCollection.Type, !list.isUnordered else { return false }
    return hasUniqueElements(list)
  }

  private static func isRawValueUnique<Value: RawRepresentable>(of type: Value.Type) -> Bool {
    Value.RawValue.self is any QueryValueConvertible.Type
  }

  private static func hasUniqueElements(_ list: any ListedCollection.Type) -> Bool {
    switch ElementForm(list.elementType) {
    case .integer, .boolean, .text, .identifier, .data: true
    case .double, .float, nil: false
    }
  }

  private static func hasUniqueParts(_ value: Any) -> Bool {
    // Testing each element of a long list takes longer than encoding the list.
    if let list = value as? any ListedCollection, isUnique(type: type(of: list)) { return true }
    let mirror = Mirror(reflecting: value)
    if mirror.children.count > 1, isUnordered(mirror) { return false }
    return mirror.children.allSatisfy { isUnique($0.value) }
  }

  /// Whether the parts are encoded in arbitrary order. Dictionaries whose keys are strings or `Int` are encoded sorted.
  private static func isUnordered(_ mirror: Mirror) -> Bool {
    switch mirror.displayStyle {
    case .set: true
    case .dictionary: !(mirror.subjectType is any SortedKeys.Type)
    default: false
    }
  }
}

/// A dictionary that JSON encodes as an object with sorted keys.
private protocol SortedKeys {}

private protocol ObjectKey {}

extension String: ObjectKey {}
extension Int: ObjectKey {}
extension Dictionary: SortedKeys where Key: ObjectKey {}

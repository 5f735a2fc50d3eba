import Foundation
import PersistenceRuntime

/// Tells which values have one JSON text only, so that a store may compare them by it.
enum WrittenForm {
  /// Whether every value that equals this one is written in the same way, and every other one in another.
  ///
  /// Two zeros are equal and are written differently, not-a-number is written alike and is equal to nothing, decimals keep
  /// the digits that they were made with, and sets are written in the order that they happen to have.
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

  /// Whether all values of a type are such.
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
    // Looking at each element of a long list costs more than writing it.
    if let list = value as? any ListedCollection, isUnique(type: type(of: list)) { return true }
    let mirror = Mirror(reflecting: value)
    if mirror.children.count > 1, isUnordered(mirror) { return false }
    return mirror.children.allSatisfy { isUnique($0.value) }
  }

  /// Whether the parts are written in an order that is not theirs. Keys that are texts or numbers are sorted.
  private static func isUnordered(_ mirror: Mirror) -> Bool {
    switch mirror.displayStyle {
    case .set: true
    case .dictionary: !(mirror.subjectType is any SortedKeys.Type)
    default: false
    }
  }
}

/// A dictionary that JSON has as an object, whose keys are sorted.
private protocol SortedKeys {}

private protocol ObjectKey {}

extension String: ObjectKey {}
extension Int: ObjectKey {}
extension Dictionary: SortedKeys where Key: ObjectKey {}

import PersistenceRuntime
import PersistenceSupport

/// Recognises key paths to the raw value of an enum.
///
/// A key path to `rawValue` formed in generic code differs from one formed of the concrete enum, so they cannot be
/// compared. Their results can, for each case.
enum RawValuePath {
  static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    guard let type = RawStorage.type(of: type(of: keyPath).rootType) else { return false }
    return isRawValue(keyPath, of: type)
  }

  private static func isRawValue<Value: RawRepresentable>(
    _ keyPath: AnyKeyPath, of type: Value.Type
  ) -> Bool {
    guard let keyPath = keyPath as? KeyPath<Value, Value.RawValue>, let cases = EnumCases.all(of: type) else {
      return false
    }
    return !cases.isEmpty && cases.allSatisfy { AnyHashable.areEqual($0[keyPath: keyPath], $0.rawValue) }
  }
}

extension AnyHashable {
  /// Whether two values are hashable and equal.
  fileprivate static func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
    guard let first = first as? AnyHashable, let second = second as? AnyHashable else { return false }
    return first == second
  }
}

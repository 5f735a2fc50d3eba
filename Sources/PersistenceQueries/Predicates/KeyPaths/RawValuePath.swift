import PersistenceRuntime

/// Recognises key paths to the raw value of an enum.
///
/// A key path to `rawValue` that is made in generic code differs from one that is made of the enum itself, and so there
/// is none to compare with. What can be compared is what it leads to, for each case of an enum.
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
  /// Whether two values of one type are hashable and equal.
  fileprivate static func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
    guard let first = first as? AnyHashable, let second = second as? AnyHashable else { return false }
    return first == second
  }
}

import PersistenceSupport

extension CodedValue {
  /// A basic value, or the raw value of a type that is stored as its raw value. Returns nil for a value of another type.
  /// The schema is then encoded without this default.
  package init?(_ value: Any) {
    if let basic = CodedValue(basic: value) {
      self = basic
    } else if let raw = RawStorage.value(of: value), let coded = Self(raw.rawValue) {
      self = coded
    } else {
      return nil
    }
  }

  /// The value as the given type if it can be converted, otherwise as the basic type of its case, such as `Int`.
  func live(as type: any Any.Type) -> Any? {
    guard let value = live else { return nil }
    return DefaultValue.conforming(value, to: type) ?? Self.rawRepresentable(value, of: type) ?? value
  }

  private static func rawRepresentable(_ value: Any, of type: any Any.Type) -> Any? {
    func make<T: RawRepresentable>(_: T.Type) -> Any? {
      (DefaultValue.conforming(value, to: T.RawValue.self) as? T.RawValue).flatMap { T(rawValue: $0) }
    }
    return RawStorage.type(of: type).flatMap { make($0) }
  }
}

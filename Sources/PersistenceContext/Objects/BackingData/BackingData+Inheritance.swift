import PersistenceRuntime

/// Values by untyped key paths.
///
/// A subclass inherits the conformance of its superclass, and with it the type of the backing data. The values may be
/// of either class, and only the key path knows which.
protocol UntypedBackingData {
  func value(atAny keyPath: AnyKeyPath) -> Any?
}

extension KeyPathBackingData: UntypedBackingData {}

extension ModelBackingData: UntypedBackingData {
  func value(atAny keyPath: AnyKeyPath) -> Any? { model[keyPath: keyPath] }
}

extension BackingData {
  /// The value of a constant property of a subclass. For generated code.
  public func _$value<Root: PersistentModel, Value>(at keyPath: KeyPath<Root, Value>) -> Value {
    if let value = anyValue(at: keyPath) as? Value { return value }
    return KeyPathBackingData<Root>(for: Root.self).value(at: keyPath)
  }

  /// The value of an untyped key path.
  func anyValue(at keyPath: AnyKeyPath) -> Any? {
    if let data = self as? any UntypedBackingData { return data.value(atAny: keyPath) }
    func read<Value>(_ type: Value.Type) -> Any? {
      guard let keyPath = keyPath as? KeyPath<Model, Value> else { return nil }
      return getTransformableValue(forKey: keyPath)
    }
    return _openExistential(type(of: keyPath).valueType, do: read)
  }
}

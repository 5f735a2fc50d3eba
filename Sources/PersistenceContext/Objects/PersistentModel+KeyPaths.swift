import PersistenceRuntime

extension PersistentModel {
  /// Sets a property by an untyped key path.
  ///
  /// - Returns: False if the value has another type than the property, or the property is constant.
  @discardableResult
  func _$set(_ value: Any, at keyPath: AnyKeyPath) -> Bool {
    func assign<Value>(_ type: Value.Type) -> Bool {
      guard let value = value as? Value else { return false }
      if let keyPath = keyPath as? ReferenceWritableKeyPath<Self, Value> {
        self[keyPath: keyPath] = value
        return true
      }
      return assign(value, of: Swift.type(of: keyPath).rootType)
    }
    // The object, and the root of the key path, may be of a subclass of Self.
    func assign<Value>(_ value: Value, of root: any Any.Type) -> Bool {
      func assign<Root>(_ type: Root.Type) -> Bool {
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<Root, Value>, let root = self as? Root else {
          return false
        }
        root[keyPath: keyPath] = value
        return true
      }
      return _openExistential(root, do: assign)
    }
    return _openExistential(type(of: keyPath).valueType, do: assign)
  }
}

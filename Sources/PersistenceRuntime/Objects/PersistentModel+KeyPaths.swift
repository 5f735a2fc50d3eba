extension PersistentModel {
  /// Sets a property of which only the key path is known.
  ///
  /// False when the value is not of the property's type, or the property is constant.
  @discardableResult
  package func _$set(_ value: Any, at keyPath: AnyKeyPath) -> Bool {
    func assign<Value>(_ type: Value.Type) -> Bool {
      guard let value = value as? Value else { return false }
      if let keyPath = keyPath as? ReferenceWritableKeyPath<Self, Value> {
        self[keyPath: keyPath] = value
        return true
      }
      return assign(value, of: Swift.type(of: keyPath).rootType)
    }
    // The object may be of a subclass of the type that is known here, and the key path too.
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

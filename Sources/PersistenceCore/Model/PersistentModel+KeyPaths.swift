extension PersistentModel {
  /// Sets a property of which only the key path is known.
  ///
  /// False when the value is not of the property's type, or the property is constant.
  @discardableResult
  func _$set(_ value: Any, at keyPath: AnyKeyPath) -> Bool {
    func assign<Value>(_ type: Value.Type) -> Bool {
      guard let keyPath = keyPath as? ReferenceWritableKeyPath<Self, Value>, let value = value as? Value else {
        return false
      }
      self[keyPath: keyPath] = value
      return true
    }
    return _openExistential(type(of: keyPath).valueType, do: assign)
  }
}

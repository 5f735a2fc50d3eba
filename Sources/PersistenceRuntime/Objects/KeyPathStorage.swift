/// Implements the overloads of ``BackingData`` with one getter and one setter, for both kinds of backing data.
package protocol KeyPathStorage: BackingData {
  func value<Value>(at keyPath: KeyPath<Model, Value>) -> Value
  func set<Value>(_ value: Value, at keyPath: KeyPath<Model, Value>)
}

extension KeyPathStorage {
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey keyPath: KeyPath<Model, Value>) -> Value { value(at: keyPath) }

  public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value>) -> Value { value(at: keyPath) }

  public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value?>) -> Value? { value(at: keyPath) }

  public func getValue<Value: RelationshipCollection, OtherModel>(forKey keyPath: KeyPath<Model, Value>) -> Value
  where OtherModel == Value.PersistentElement { value(at: keyPath) }

  public func getValue<Value: Decodable & RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Model, Value>
  ) -> Value where OtherModel == Value.PersistentElement { value(at: keyPath) }

  public func getTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value { value(at: keyPath) }

  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    set(newValue, at: keyPath)
  }

  public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    set(newValue, at: keyPath)
  }

  public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value?>, to newValue: Value?) {
    set(newValue, at: keyPath)
  }

  public func setValue<Value: RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement { set(newValue, at: keyPath) }

  public func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement { set(newValue, at: keyPath) }

  public func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    set(newValue, at: keyPath)
  }
}

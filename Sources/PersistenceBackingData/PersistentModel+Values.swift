import PersistenceContext
import PersistenceRuntime

// Access to values by key path, for generated and hand-written models.

extension PersistentModel {
  /// The value of a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameter keyPath: The property.
  /// - Returns: The value.
  @_disfavoredOverload
  public func getValue<Value: Decodable>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: keyPath)
  }

  /// The value of a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameter keyPath: The property.
  /// - Returns: The value.
  public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: keyPath)
  }

  /// The value of a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameter keyPath: The property.
  /// - Returns: The value.
  public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value?>) -> Value? {
    persistentBackingData.getValue(forKey: keyPath)
  }

  /// The value of a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameter keyPath: The property.
  /// - Returns: The value.
  public func getValue<Value: RelationshipCollection, OtherModel>(forKey keyPath: KeyPath<Self, Value>) -> Value
  where OtherModel == Value.PersistentElement {
    persistentBackingData.getTransformableValue(forKey: keyPath)
  }

  /// The value of a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameter keyPath: The property.
  /// - Returns: The value.
  public func getValue<Value: Decodable & RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Self, Value>
  ) -> Value where OtherModel == Value.PersistentElement {
    persistentBackingData.getTransformableValue(forKey: keyPath)
  }

  /// The value of a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameter keyPath: The property.
  /// - Returns: The value.
  public func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: keyPath)
  }

  /// Sets a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  @_disfavoredOverload
  public func setValue<Value: Encodable>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setValue(forKey: keyPath, to: newValue)
  }

  /// Sets a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setValue(forKey: keyPath, to: newValue)
  }

  /// Sets a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value?>, to newValue: Value?) {
    persistentBackingData.setValue(forKey: keyPath, to: newValue)
  }

  /// Sets a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  public func setValue<Value: RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Self, Value>, to newValue: Value
  )
  where OtherModel == Value.PersistentElement {
    persistentBackingData.setTransformableValue(forKey: keyPath, to: newValue)
  }

  /// Sets a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  public func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey keyPath: KeyPath<Self, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {
    persistentBackingData.setTransformableValue(forKey: keyPath, to: newValue)
  }

  /// Sets a property, by key path. Apple's. Prefer the property itself.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  public func setTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setTransformableValue(forKey: keyPath, to: newValue)
  }
}

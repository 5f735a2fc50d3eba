/// The storage of the values of a hand-written model. Apple's protocol.
///
/// `@Model` stores a model's values in the model itself; its backing data only reads and writes these values. Implement
/// the protocol only to store models outside of this library's stores.
public protocol BackingData<Model> {
  /// The type of the model.
  associatedtype Model: PersistentModel

  /// Creates the storage of a new model, with the defaults of its properties.
  ///
  /// - Parameter modelType: The type of the model.
  init(for modelType: Model.Type)

  /// The identity of the model; nil before it has one.
  var persistentModelID: PersistentIdentifier? { get set }
  /// The schema metadata of the model.
  var metadata: Any { get }

  /// Returns the value of a property.
  ///
  /// - Parameter forKey: The key path of the property.
  @_disfavoredOverload
  func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value
  /// Returns the model of a required to-one relationship.
  ///
  /// - Parameter forKey: The key path of the property.
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value
  /// Returns the model of an optional to-one relationship.
  ///
  /// - Parameter forKey: The key path of the property.
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value?
  /// Returns the models of a to-many relationship.
  ///
  /// - Parameter forKey: The key path of the property.
  func getValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where OtherModel == Value.PersistentElement
  /// Returns the models of a to-many relationship whose type is decodable.
  ///
  /// - Parameter forKey: The key path of the property.
  func getValue<Value: Decodable & RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where OtherModel == Value.PersistentElement
  /// Returns the value of a property that a value transformer stores.
  ///
  /// - Parameter forKey: The key path of the property.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Sets the value of a property.
  ///
  /// - Parameters:
  ///   - forKey: The key path of the property.
  ///   - newValue: The new value.
  @_disfavoredOverload
  func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the model of a required to-one relationship.
  ///
  /// - Parameters:
  ///   - forKey: The key path of the property.
  ///   - newValue: The new value.
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the model of an optional to-one relationship.
  ///
  /// - Parameters:
  ///   - forKey: The key path of the property.
  ///   - newValue: The new value.
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  /// Sets the models of a to-many relationship.
  ///
  /// - Parameters:
  ///   - forKey: The key path of the property.
  ///   - newValue: The new value.
  func setValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where OtherModel == Value.PersistentElement
  /// Sets the models of a to-many relationship whose type is encodable.
  ///
  /// - Parameters:
  ///   - forKey: The key path of the property.
  ///   - newValue: The new value.
  func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey: KeyPath<Model, Value>, to newValue: Value)
  where OtherModel == Value.PersistentElement
  /// Sets the value of a property that a value transformer stores.
  ///
  /// - Parameters:
  ///   - forKey: The key path of the property.
  ///   - newValue: The new value.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// A type that a to-many relationship may have: an array of models, or an optional array. Apple's protocol.
public protocol RelationshipCollection {
  /// The model type of the elements.
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The model type of the elements.
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  /// The model type of the elements.
  public typealias PersistentElement = Wrapped.Element
}

/// Implements all overloads of ``BackingData`` by one getter and one setter, for the library's types of backing data.
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

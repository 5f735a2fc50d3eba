// API names of the SwiftData betas of 2023.

import PersistenceBackingData
import PersistenceContext
import PersistenceRuntime

extension BackingData {
  /// An earlier form of ``getValue(forKey:)``.
  ///
  /// - Parameter keyPath: The property.
  @available(*, deprecated, renamed: "getValue(forKey:)")
  @_disfavoredOverload
  public func getValue<Value: Decodable>(for keyPath: KeyPath<Model, Value>) -> Value {
    getValue(forKey: keyPath)
  }

  /// An earlier form of ``getValue(forKey:)``.
  ///
  /// - Parameter keyPath: The property.
  @available(*, deprecated, renamed: "getValue(forKey:)")
  public func getValue<Value: PersistentModel>(for keyPath: KeyPath<Model, Value>) -> Value {
    getValue(forKey: keyPath)
  }

  /// An earlier form of ``getValue(forKey:)``.
  ///
  /// - Parameter keyPath: The property.
  @available(*, deprecated, renamed: "getValue(forKey:)")
  public func getValue<Value: PersistentModel>(for keyPath: KeyPath<Model, Value?>) -> Value? {
    getValue(forKey: keyPath)
  }

  /// An earlier form of ``getValue(forKey:)``.
  ///
  /// - Parameter keyPath: The property.
  @available(*, deprecated, renamed: "getValue(forKey:)")
  public func getValue<Value: RelationshipCollection>(for keyPath: KeyPath<Model, Value>) -> Value {
    getValue(forKey: keyPath)
  }

  /// An earlier form of ``setValue(forKey:to:)``.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  @available(*, deprecated, renamed: "setValue(forKey:to:)")
  @_disfavoredOverload
  public func setValue<Value: Encodable>(for keyPath: KeyPath<Model, Value>, to newValue: Value) {
    setValue(forKey: keyPath, to: newValue)
  }

  /// An earlier form of ``setValue(forKey:to:)``.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  @available(*, deprecated, renamed: "setValue(forKey:to:)")
  public func setValue<Value: PersistentModel>(for keyPath: KeyPath<Model, Value>, to newValue: Value) {
    setValue(forKey: keyPath, to: newValue)
  }

  /// An earlier form of ``setValue(forKey:to:)``.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  @available(*, deprecated, renamed: "setValue(forKey:to:)")
  public func setValue<Value: PersistentModel>(for keyPath: KeyPath<Model, Value?>, to newValue: Value?) {
    setValue(forKey: keyPath, to: newValue)
  }

  /// An earlier form of ``setValue(forKey:to:)``.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - newValue: The value.
  @available(*, deprecated, renamed: "setValue(forKey:to:)")
  public func setValue<Value: RelationshipCollection>(for keyPath: KeyPath<Model, Value>, to newValue: Value) {
    setValue(forKey: keyPath, to: newValue)
  }
}

/// An earlier form of ``PersistentModel/createBackingData()``, for models that are written without `@Model`.
///
/// - Parameter modelType: The type of the model.
/// - Returns: The backing data.
// swift-format-ignore: AlwaysUseLowerCamelCase
@available(*, deprecated, message: "say Self.createBackingData()")
public func DefaultBackingData<Model: PersistentModel>(for modelType: Model.Type) -> some BackingData<Model> {
  KeyPathBackingData<Model>(for: modelType)
}

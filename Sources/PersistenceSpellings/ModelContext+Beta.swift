// API names of the SwiftData betas of 2023. A function that differs from the current one only in a label is
// disfavoured. Otherwise `models.forEach(context.insert)` would be ambiguous.

import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// An earlier form of ``model(for:)``.
  ///
  /// - Parameter objectID: The identifier.
  @available(*, deprecated, renamed: "model(for:)")
  public func object(with objectID: PersistentIdentifier) -> any PersistentModel {
    model(for: objectID)
  }

  /// An earlier form of ``registeredModel(for:)``.
  ///
  /// - Parameter objectID: The identifier.
  @available(*, deprecated, renamed: "registeredModel(for:)")
  public func registeredObject<T: PersistentModel>(for objectID: PersistentIdentifier) -> T? {
    registeredModel(for: objectID)
  }

  /// An earlier form of ``insert(_:)``.
  ///
  /// - Parameter object: The model.
  @available(*, deprecated, renamed: "insert(_:)")
  @_disfavoredOverload
  public func insert<T: PersistentModel>(object: T) {
    insert(object)
  }

  /// An earlier form of ``delete(_:)``.
  ///
  /// - Parameter object: The model.
  @available(*, deprecated, renamed: "delete(_:)")
  @_disfavoredOverload
  public func delete<T: PersistentModel>(object: T) {
    delete(object)
  }

  /// An earlier form of ``insertedModelsArray``.
  @available(*, deprecated, renamed: "insertedModelsArray")
  public var insertedObjects: [any PersistentModel] { insertedModelsArray }

  /// An earlier form of ``changedModelsArray``.
  @available(*, deprecated, renamed: "changedModelsArray")
  public var changedObjects: [any PersistentModel] { changedModelsArray }

  /// An earlier form of ``deletedModelsArray``.
  @available(*, deprecated, renamed: "deletedModelsArray")
  public var deletedObjects: [any PersistentModel] { deletedModelsArray }

  /// An earlier form of ``insertedModelsArray``.
  @available(*, deprecated, renamed: "insertedModelsArray")
  public var insertedObjectsArray: [any PersistentModel] { insertedModelsArray }

  /// An earlier form of ``changedModelsArray``.
  @available(*, deprecated, renamed: "changedModelsArray")
  public var changedObjectsArray: [any PersistentModel] { changedModelsArray }

  /// An earlier form of ``deletedModelsArray``.
  @available(*, deprecated, renamed: "deletedModelsArray")
  public var deletedObjectsArray: [any PersistentModel] { deletedModelsArray }
}

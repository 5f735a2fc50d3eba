import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

extension Database {
  /// Saves a new model.
  ///
  /// - Parameter make: Makes the model, in the database.
  /// - Returns: A reference to it.
  /// - Throws: What `make` throws, or the error of the save; nothing is left behind then.
  @discardableResult
  public func insert<T: PersistentModel>(_ make: @Sendable () throws -> T) async throws -> Model<T> {
    try Task.checkCancellation()
    return try await withModelContext { context in
      let model = try context.saving {
        let model = try make()
        context.insert(model)
        return model
      }
      return Model(model)
    }
  }

  /// Saves new models, all or none.
  ///
  /// - Returns: References to them, in their order.
  /// - Throws: What `make` throws, or the error of the save; nothing is left behind then.
  @discardableResult
  public func insert<T: PersistentModel>(_ make: @Sendable () throws -> [T]) async throws -> [Model<T>] {
    try Task.checkCancellation()
    return try await withModelContext { context in
      let models = try context.saving {
        let models = try make()
        for model in models { context.insert(model) }
        return models
      }
      return models.map { Model($0) }
    }
  }

  /// Saves a model that was made here, and takes it over: it cannot be used here any more.
  ///
  /// - Returns: A reference to it.
  /// - Throws: The error of the save; nothing is left behind then.
  @discardableResult
  public func insert<T: PersistentModel>(_ model: sending T) async throws -> Model<T> {
    let model = Transfer(model)
    return try await insert { model.value }
  }
}

import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

extension Database {
  /// Creates and saves a model. Ours. Any actor may call it.
  ///
  /// ```swift
  /// let trip = try await database.insert { Trip(name: "Oslo") }
  /// // INSERT INTO "Trip" …
  /// ```
  /// - Parameter make: Creates the model, in the isolation of the database.
  /// - Returns: A reference to the model.
  /// - Throws: The errors of `make` and of the save. On error nothing is inserted.
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

  /// Creates and saves models, atomically. Ours. Any actor may call it.
  ///
  /// - Parameter make: Creates the models, in the isolation of the database.
  /// - Returns: References to the models, in order.
  /// - Throws: The errors of `make` and of the save. On error nothing is inserted.
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

  /// Saves a new model. The caller must not use it any more. Ours. Any actor may call it.
  ///
  /// - Parameter model: The model. The compiler ensures that the caller does not use it afterwards.
  /// - Returns: A reference to the model.
  /// - Throws: The error of the save. On error nothing is inserted.
  @discardableResult
  public func insert<T: PersistentModel>(_ model: sending T) async throws -> Model<T> {
    let model = Transfer(model)
    return try await insert { model.value }
  }
}

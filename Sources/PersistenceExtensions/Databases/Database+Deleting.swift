import Foundation
import PersistenceContext
import PersistenceRuntime

extension Database {
  /// Deletes a model, applies its delete rules, and saves. Ours. Any actor may call it.
  ///
  /// - Parameter model: The reference of the model.
  /// - Returns: Whether the model existed.
  /// - Throws: The error of the save. On error nothing is changed.
  @discardableResult
  public func delete<T: PersistentModel>(_ model: Model<T>) async throws -> Bool {
    try await delete([model]) == 1
  }

  /// Deletes models, applies their delete rules, and saves, atomically. Ours. Any actor may call it.
  ///
  /// - Parameter models: The references of the models. References to deleted models are ignored.
  /// - Returns: The number of models that existed.
  /// - Throws: The error of the save. On error nothing is changed.
  @discardableResult
  public func delete<T: PersistentModel>(_ models: [Model<T>]) async throws -> Int {
    try Task.checkCancellation()
    return try await withModelContext { context in
      try context.saving {
        var count = 0
        for reference in models {
          guard let model = try context.getOptional(reference) else { continue }
          context.delete(model)
          count += 1
        }
        return count
      }
    }
  }

  /// Deletes the models that match a predicate, and saves. Ours. No models are created. Any actor may call it.
  ///
  /// - Parameters:
  ///   - model: The type of the models.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: `SwiftDataError` of the predicate, and the error of the save. On error nothing is changed.
  public func delete<T: PersistentModel>(model: T.Type, where predicate: Predicate<T>? = nil) async throws {
    try Task.checkCancellation()
    try await withModelContext { context in
      try context.saving { try context.delete(model: model, where: predicate) }
    }
  }
}

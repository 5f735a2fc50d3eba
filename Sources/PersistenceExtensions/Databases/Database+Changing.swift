import Foundation
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension Database {
  /// Changes a model, and saves it with everything that the code changed.
  ///
  /// - Parameter body: Is given the model, and returns what the caller wants of it: nothing that belongs to it.
  /// - Throws: `SwiftDataError.modelNotFound` when the model is gone, what `body` throws, or the error of the save;
  ///   nothing has changed then.
  @discardableResult
  public func update<T: PersistentModel, Result>(
    _ model: Model<T>, _ body: @Sendable (T) throws -> sending Result
  ) async throws -> sending Result {
    try Task.checkCancellation()
    return try await withModelContext { context in
      try context.saving { Transfer(try body(context.get(model))) }.value
    }
  }

  /// Changes every model that a predicate means, and saves them, all or none.
  ///
  /// - Returns: How many there were.
  /// - Throws: `SwiftDataError` of the predicate, what `body` throws, or the error of the save; nothing has changed then.
  @discardableResult
  public func update<T: PersistentModel>(
    where predicate: Predicate<T>? = nil, _ body: @Sendable (T) throws -> Void
  ) async throws -> Int {
    try Task.checkCancellation()
    return try await withModelContext { context in
      try context.saving {
        let models = try context.fetch(FetchDescriptor<T>(predicate: predicate))
        try models.forEach(body)
        return models.count
      }
    }
  }

  /// Runs code that changes models, and saves what it changed, as one: when it throws nothing has changed.
  ///
  /// - Throws: What `body` throws, or the error of the save.
  @discardableResult
  public func transaction<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try Task.checkCancellation()
    return try await withModelContext { context in
      try context.saving { Transfer(try body(context)) }.value
    }
  }
}

import Foundation
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension Database {
  /// Runs code that changes a model, and saves its changes, atomically. Ours. Any actor may call it.
  ///
  /// ```swift
  /// try await database.update(trip) { $0.name = "Bergen" }
  /// // UPDATE "Trip" SET "name" = ? WHERE "_osd_key" = ?
  /// ```
  /// - Parameters:
  ///   - model: The reference of the model.
  ///   - body: Gets the model. The result must not contain the model or anything that belongs to it.
  /// - Returns: The result of `body`.
  /// - Throws: `SwiftDataError.modelNotFound` if the model is deleted, and the errors of `body` and of the save. In
  ///   these cases nothing is changed.
  @discardableResult
  public func update<T: PersistentModel, Result>(
    _ model: Model<T>, _ body: @Sendable (T) throws -> sending Result
  ) async throws -> sending Result {
    try Task.checkCancellation()
    return try await withModelContext { context in
      try context.saving { Transfer(try body(context.get(model))) }.value
    }
  }

  /// Runs code for each model that matches a predicate, and saves the changes, atomically. Ours. Any actor may call it.
  ///
  /// - Parameters:
  ///   - predicate: The condition; nil for all models.
  ///   - body: Gets each model.
  /// - Returns: The number of models that match.
  /// - Throws: `SwiftDataError` of the predicate, the errors of `body` and of the save. On error nothing is changed.
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

  /// Runs code and saves its changes, atomically. Ours. Any actor may call it.
  ///
  /// - Parameter body: Gets the context of the database. The result must not contain its models.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body` and of the save. On error nothing is changed.
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

extension ModelContext {
  /// Runs a block and saves its changes, atomically.
  ///
  /// If the context rejected changes before the block ran, this save does not throw their errors. Instead, the next
  /// save outside of this function throws them.
  /// - Throws: The errors of the block and of the save. On error nothing is changed.
  func saving<Result>(_ block: () throws -> Result) throws -> Result {
    let (earlier, reported) = (refusals, reportedRefusals)
    if !earlier.isEmpty { forgetRefusals() }
    defer {
      if !earlier.isEmpty { (refusals, reportedRefusals) = (earlier + refusals, reported) }
    }
    var result: Result?
    try transaction { result = try block() }
    guard let result else { throw SwiftDataError(.storeFailure, "a transaction ended without having run its block") }
    return result
  }
}

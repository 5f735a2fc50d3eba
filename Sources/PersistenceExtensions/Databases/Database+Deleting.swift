import Foundation
import PersistenceContext
import PersistenceRuntime

extension Database {
  /// Deletes a model, with what its delete rules take along.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: The error of the save; nothing has changed then.
  @discardableResult
  public func delete<T: PersistentModel>(_ model: Model<T>) async throws -> Bool {
    try await delete([model]) == 1
  }

  /// Deletes models, all or none of those that are still there.
  ///
  /// - Returns: How many there were.
  /// - Throws: The error of the save; nothing has changed then.
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

  /// Deletes every model of a type that a predicate means, or all of them, without making models of rows.
  ///
  /// - Throws: `SwiftDataError` of the predicate, or the error of the save; nothing has changed then.
  public func delete<T: PersistentModel>(model: T.Type, where predicate: Predicate<T>? = nil) async throws {
    try Task.checkCancellation()
    try await withModelContext { context in
      try context.saving { try context.delete(model: model, where: predicate) }
    }
  }
}

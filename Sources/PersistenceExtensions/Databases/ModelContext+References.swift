import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// The model of a reference, from this context or read from the store. Ours.
  ///
  /// - Parameter model: The reference.
  /// - Returns: The context's object.
  /// - Throws: `SwiftDataError.modelNotFound` if there is no such row or it is of another type, and the error of the
  ///   store.
  public func get<T: PersistentModel>(_ model: Model<T>) throws -> T {
    try existingModel(for: model.persistentIdentifier)
  }

  /// The model of a reference, or nil if there is no such row or it is of another type. Ours.
  ///
  /// - Parameter model: The reference.
  /// - Returns: The context's object.
  /// - Throws: The error of the store.
  public func getOptional<T: PersistentModel>(_ model: Model<T>) throws -> T? {
    try persistentModel(withID: model.persistentIdentifier)
  }
}

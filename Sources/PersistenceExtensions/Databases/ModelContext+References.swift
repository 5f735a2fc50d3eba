import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// The model of a reference, from this context or from the store.
  ///
  /// - Throws: `SwiftDataError.modelNotFound` when there is no such row or it is of another type, or the error of the
  ///   store.
  public func get<T: PersistentModel>(_ model: Model<T>) throws -> T {
    try existingModel(for: model.persistentIdentifier)
  }

  /// The model of a reference, from this context or from the store; nil when there is no such row or it is of another
  /// type.
  ///
  /// - Throws: The error of the store.
  public func getOptional<T: PersistentModel>(_ model: Model<T>) throws -> T? {
    try persistentModel(withID: model.persistentIdentifier)
  }
}

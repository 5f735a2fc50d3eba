import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

// Reads return committed data. Each read uses a context of its own, so its result must not contain a model.

extension Database {
  /// Reads a model. Ours. Any actor may call it.
  ///
  /// ```swift
  /// let name = try await database.get(trip) { $0.name }
  /// ```
  /// - Parameters:
  ///   - model: The reference of the model.
  ///   - body: Gets the model. The result must not contain the model or anything that belongs to it.
  /// - Returns: The result of `body`.
  /// - Throws: `SwiftDataError.modelNotFound` if the model is deleted, and the errors of `body` and of the store.
  public func get<T: PersistentModel, Result>(
    _ model: Model<T>, _ body: @Sendable (T) throws -> sending Result
  ) async throws -> sending Result {
    try await read { context in try Transfer(body(context.get(model))).value }
  }

  /// Reads a model that may be deleted. Ours. Any actor may call it.
  ///
  /// - Parameters:
  ///   - model: The reference of the model.
  ///   - body: Gets the model, or nil if it is deleted. The result must not contain the model.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body` and of the store.
  public func getOptional<T: PersistentModel, Result>(
    _ model: Model<T>, _ body: @Sendable (T?) throws -> sending Result
  ) async throws -> sending Result {
    try await read { context in try Transfer(body(context.getOptional(model))).value }
  }

  /// References to the models of a fetch, in order. Ours. No models are created. Any actor may call it.
  ///
  /// - Parameter descriptor: The predicate and the order.
  /// - Returns: The references.
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) async throws -> [Model<T>] {
    try await read { context in
      try context.fetchIdentifiers(descriptor).map { Model(persistentIdentifier: $0) }
    }
  }

  /// Reads the models of a fetch. Ours. Any actor may call it.
  ///
  /// - Parameters:
  ///   - descriptor: The predicate and the order.
  ///   - body: Gets the models. The result must not contain them or anything that belongs to them.
  /// - Returns: The result of `body`.
  /// - Throws: `SwiftDataError` of the predicate or of the store, and the errors of `body`.
  public func fetch<T: PersistentModel, Result>(
    _ descriptor: FetchDescriptor<T>, _ body: @Sendable ([T]) throws -> sending Result
  ) async throws -> sending Result {
    try await read { context in try Transfer(body(context.fetch(descriptor))).value }
  }

  /// The number of models of a fetch. Ours. Any actor may call it.
  ///
  /// - Parameter descriptor: The predicate.
  /// - Returns: The number.
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  public func count<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) async throws -> Int {
    try await read { context in try context.fetchCount(descriptor) }
  }

  /// The number of models of a type. Ours. Any actor may call it.
  ///
  /// - Parameter model: The type.
  /// - Returns: The number.
  /// - Throws: The error of the store.
  public func count<T: PersistentModel>(_ model: T.Type) async throws -> Int {
    try await count(FetchDescriptor<T>())
  }
}

import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

// Reads see what is saved. They run with contexts of their own, so what they return cannot hold a model.

extension Database {
  /// Reads a model.
  ///
  /// - Parameter body: Is given the model, and returns what the caller wants of it: nothing that belongs to it.
  /// - Throws: `SwiftDataError.modelNotFound` when it is gone, what `body` throws, or the error of the store.
  public func get<T: PersistentModel, Result>(
    _ model: Model<T>, _ body: @Sendable (T) throws -> sending Result
  ) async throws -> sending Result {
    try await read { context in try Transfer(body(context.get(model))).value }
  }

  /// Reads a model that may be gone: `body` is given nil then.
  ///
  /// - Throws: What `body` throws, or the error of the store.
  public func getOptional<T: PersistentModel, Result>(
    _ model: Model<T>, _ body: @Sendable (T?) throws -> sending Result
  ) async throws -> sending Result {
    try await read { context in try Transfer(body(context.getOptional(model))).value }
  }

  /// References to the models that a descriptor means, in its order. No models are made.
  ///
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) async throws -> [Model<T>] {
    try await read { context in
      try context.fetchIdentifiers(descriptor).map { Model(persistentIdentifier: $0) }
    }
  }

  /// Reads the models that a descriptor means.
  ///
  /// - Parameter body: Is given the models, and returns what the caller wants of them: nothing that belongs to them.
  /// - Throws: `SwiftDataError` of the predicate or of the store, or what `body` throws.
  public func fetch<T: PersistentModel, Result>(
    _ descriptor: FetchDescriptor<T>, _ body: @Sendable ([T]) throws -> sending Result
  ) async throws -> sending Result {
    try await read { context in try Transfer(body(context.fetch(descriptor))).value }
  }

  /// The number of models that a descriptor means.
  ///
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  public func count<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) async throws -> Int {
    try await read { context in try context.fetchCount(descriptor) }
  }

  /// The number of models of a type.
  ///
  /// - Throws: The error of the store.
  public func count<T: PersistentModel>(_ model: T.Type) async throws -> Int {
    try await count(FetchDescriptor<T>())
  }
}

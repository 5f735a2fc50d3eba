// Values are read concurrently, with a context of their own, on a reader thread of the container.

import PersistenceContainer
import PersistenceQueries

extension Database {
  /// The models of a fetch as values. Ours. No models are created. Any actor may call it.
  ///
  /// It sees committed data, and waits for no other call if the database reads concurrently.
  ///
  /// ```swift
  /// let cheap = try await database.fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.price < 10 }))
  /// ```
  /// - Parameter descriptor: The predicate and the order.
  /// - Returns: The values.
  /// - Throws: `CancellationError`, and `SwiftDataError` of the predicate or of the store.
  public func fetchValues<T: ValueReadable>(_ descriptor: FetchDescriptor<T>) async throws -> [T.Value] {
    try await read { context in try context.fetchValues(descriptor) }
  }
}

extension ModelContainer {
  /// The models of a fetch as values. Ours. No models are created. Any actor may call it.
  ///
  /// It sees committed data, and waits for no save and no other read.
  /// - Parameter descriptor: The predicate and the order.
  /// - Returns: The values.
  /// - Throws: `CancellationError`, and `SwiftDataError` of the predicate or of the store.
  public func fetchValues<T: ValueReadable>(_ descriptor: FetchDescriptor<T>) async throws -> [T.Value] {
    try await read { context in try context.fetchValues(descriptor) }
  }
}

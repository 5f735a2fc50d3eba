// Values read beside everything else: with a context of their own, on one of the container's readers.

import PersistenceContainer
import PersistenceQueries

extension Database {
  /// What a descriptor means, as values. No models are made.
  ///
  /// Sees what is saved, and waits for no change and no other read where the database reads concurrently.
  ///
  /// ```swift
  /// let cheap = try await database.fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.price < 10 }))
  /// ```
  /// - Throws: `CancellationError`, or `SwiftDataError` of the predicate or of the store.
  public func fetchValues<T: ValueReadable>(_ descriptor: FetchDescriptor<T>) async throws -> [T.Value] {
    try await read { context in try context.fetchValues(descriptor) }
  }
}

extension ModelContainer {
  /// What a descriptor means, as values. No models are made, and no context is needed.
  ///
  /// Sees what is saved, and waits for no change and no other read.
  /// - Throws: `CancellationError`, or `SwiftDataError` of the predicate or of the store.
  public func fetchValues<T: ValueReadable>(_ descriptor: FetchDescriptor<T>) async throws -> [T.Value] {
    try await read { context in try context.fetchValues(descriptor) }
  }
}

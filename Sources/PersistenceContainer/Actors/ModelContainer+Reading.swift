import PersistenceContext

extension ModelContainer {
  /// Runs code that only reads, with a context of its own, on one of the readers that the container has for that.
  ///
  /// The readers are threads beside those of actors, so that a long search delays neither a save nor another read. The
  /// code sees what is saved when it begins to read.
  /// - Throws: `CancellationError` when the task is cancelled before the code begins, and what the code throws.
  public func read<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try await withTaskExecutorPreference(stores.readers) {
      try await runReading(body)
    }
  }

  @concurrent
  private func runReading<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try Task.checkCancellation()
    return try body(ModelContext(self))
  }
}

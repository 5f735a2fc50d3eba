import PersistenceContext

extension ModelContainer {
  /// Runs read-only code with a new context on a reader thread of the container. Ours.
  ///
  /// Reader threads are separate from the threads of tasks and actors, so a long query delays neither a save nor
  /// another read. The code reads what is committed when it begins to read. Any actor may call it.
  ///
  /// ```swift
  /// let names = try await container.read { context in
  ///   try context.fetch(FetchDescriptor<Trip>()).map(\.name)
  /// }
  /// ```
  /// - Parameter body: The code. The context and its models must not leave it.
  /// - Returns: The result of `body`.
  /// - Throws: `CancellationError` if the task is cancelled before `body` begins, and any error of `body`.
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

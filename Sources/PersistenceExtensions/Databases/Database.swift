import PersistenceContainer
import PersistenceContext

/// What keeps models for many tasks at once: a context that nobody else has, and operations on top of it.
///
/// A database may be sent anywhere. Models never leave it: what goes in and out is references, ``Model``, values, and
/// what the compiler can prove to be the caller's alone.
///
/// ``ModelDatabase`` is one. A model actor becomes one by saying so:
///
/// ```swift
/// @ModelActor actor Library: Database {}
/// ```
public protocol Database: Sendable {
  /// Runs code with the context of the database, one at a time.
  ///
  /// The context keeps what the code leaves unsaved, for the code that comes next.
  /// - Parameter body: Captures Sendable values only, and returns what belongs to no context.
  func withModelContext<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async rethrows -> sending Result

  /// Runs code that only reads, with a context of its own that sees what is saved; beside other such code, where the
  /// database can do that.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before the code begins, and what the code throws.
  func read<Result>(_ body: @Sendable (ModelContext) throws -> sending Result) async throws -> sending Result
}

extension Database {
  public func read<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try Task.checkCancellation()
    return try await withModelContext(body)
  }
}

extension ModelActor where Self: Database {
  public func withModelContext<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) rethrows -> sending Result {
    try body(modelContext)
  }

  /// Runs code that only reads on one of the container's readers: neither the actor nor other readers wait for it.
  public nonisolated func read<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try await modelContainer.read(body)
  }
}

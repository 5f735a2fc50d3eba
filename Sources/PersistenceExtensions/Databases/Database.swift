import PersistenceContainer
import PersistenceContext

/// Gives concurrent tasks access to the models of stores. Ours.
///
/// A database owns a private context, whose models never leave it. Any actor may use the database. Tasks pass
/// references (``Model``), values, and new models that the compiler proves to be unshared (`sending`).
///
/// ``ModelDatabase`` is a database. A model actor becomes one by declaring the conformance:
///
/// ```swift
/// @ModelActor actor Library: Database {}
/// ```
public protocol Database: Sendable {
  /// Runs code with the context of the database. Calls run one at a time.
  ///
  /// Changes that the code does not save remain unsaved in the context. Later calls see them.
  /// - Parameter body: Gets the context. The result must not contain its models.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`.
  func withModelContext<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async rethrows -> sending Result

  /// Runs read-only code with a separate context, which reads committed data. Calls may run concurrently.
  ///
  /// - Parameter body: Gets the context. The result must not contain its models.
  /// - Returns: The result of `body`.
  /// - Throws: `CancellationError` if the task is cancelled before `body` begins, and the errors of `body`.
  func read<Result>(_ body: @Sendable (ModelContext) throws -> sending Result) async throws -> sending Result
}

extension Database {
  /// Runs read-only code with the context of the database. Databases with reader threads replace this implementation.
  ///
  /// - Parameter body: Gets the context. The result must not contain its models.
  /// - Returns: The result of `body`.
  /// - Throws: `CancellationError` if the task is cancelled before `body` begins, and the errors of `body`.
  public func read<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try Task.checkCancellation()
    return try await withModelContext(body)
  }
}

extension ModelActor where Self: Database {
  /// Runs code in the actor's isolation, with the actor's context.
  ///
  /// - Parameter body: Gets the context. The result must not contain its models.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`.
  public func withModelContext<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) rethrows -> sending Result {
    try body(modelContext)
  }

  /// Runs read-only code on a reader thread of the container, concurrently with the actor and other readers.
  ///
  /// - Parameter body: Gets a separate context. The result must not contain its models.
  /// - Returns: The result of `body`.
  /// - Throws: `CancellationError` if the task is cancelled before `body` begins, and the errors of `body`.
  public nonisolated func read<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try await modelContainer.read(body)
  }
}

/// A database of the stores of a container. Ours.
///
/// Changes run one at a time, with one context. Reads run concurrently on the reader threads of the container. Each
/// read has a separate context, and reads committed data.
///
/// ```swift
/// let database = ModelDatabase(modelContainer: container)
/// let trip = try await database.insert { Trip(name: "Oslo") }
/// let names = try await database.fetch(FetchDescriptor<Trip>()) { trips in trips.map(\.name) }
/// try await database.delete(trip)
/// ```
public actor ModelDatabase: ModelActor, Database {
  /// The container of the database.
  public nonisolated let modelContainer: ModelContainer
  /// The executor that runs changes. It owns the context that the changes use.
  public nonisolated let modelExecutor: any ModelExecutor

  /// Creates a database with its own context and queue.
  ///
  /// - Parameter modelContainer: The container.
  public init(modelContainer: ModelContainer) {
    self.init(
      modelContainer: modelContainer,
      modelExecutor: DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer)))
  }

  /// Creates a database that runs on a given executor and changes models with the executor's context.
  ///
  /// - Parameters:
  ///   - modelContainer: The container.
  ///   - modelExecutor: The executor.
  public init(modelContainer: ModelContainer, modelExecutor: any ModelExecutor) {
    self.modelContainer = modelContainer
    self.modelExecutor = modelExecutor
  }
}

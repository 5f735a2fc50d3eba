import PersistenceContainer
import PersistenceContext

/// A database for the stores of a container. Ours.
///
/// Changes run one at a time, with one context. Reads run concurrently on the reader threads of the container, each
/// with a context of its own, and see committed data.
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
  /// The executor of changes.
  public nonisolated let modelExecutor: any ModelExecutor

  /// Creates a database with a context and a queue of its own.
  ///
  /// - Parameter modelContainer: The container.
  public init(modelContainer: ModelContainer) {
    self.init(
      modelContainer: modelContainer,
      modelExecutor: DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer)))
  }

  /// Creates a database that runs on a given executor and changes models with its context.
  ///
  /// - Parameters:
  ///   - modelContainer: The container.
  ///   - modelExecutor: The executor.
  public init(modelContainer: ModelContainer, modelExecutor: any ModelExecutor) {
    self.modelContainer = modelContainer
    self.modelExecutor = modelExecutor
  }
}

import PersistenceContainer
import PersistenceContext

/// A database over the stores of a container.
///
/// Changes go through one context, one after the other. Reads go through contexts of their own on the container's
/// readers, so that a long search delays nobody; they see what is saved.
///
/// ```swift
/// let database = ModelDatabase(modelContainer: container)
/// let trip = try await database.insert { Trip(name: "Oslo") }
/// let names = try await database.fetch(FetchDescriptor<Trip>()) { trips in trips.map(\.name) }
/// try await database.delete(trip)
/// ```
public actor ModelDatabase: ModelActor, Database {
  public nonisolated let modelContainer: ModelContainer
  public nonisolated let modelExecutor: any ModelExecutor

  /// Makes a database with a context and a queue of its own.
  public init(modelContainer: ModelContainer) {
    self.init(
      modelContainer: modelContainer,
      modelExecutor: DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer)))
  }

  /// Makes a database that changes models with the context of an executor, and runs where that says.
  public init(modelContainer: ModelContainer, modelExecutor: any ModelExecutor) {
    self.modelContainer = modelContainer
    self.modelExecutor = modelExecutor
  }
}

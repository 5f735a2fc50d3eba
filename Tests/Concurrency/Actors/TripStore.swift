import SwiftData

/// A program's typical model actor.
@ModelActor actor TripStore {
  func add(_ name: String) throws -> PersistentIdentifier {
    let trip = Trip(name)
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }

  func names() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Trip>()).map(\.name).sorted()
  }

  func name(of identifier: PersistentIdentifier) -> String? {
    self[identifier, as: Trip.self]?.name
  }

  func isOnMainActor() -> Bool { Concurrency.isOnMainActor() }

  func hasContext(_ context: @Sendable (ModelContext) -> Bool) -> Bool { context(modelContext) }
}

/// A model actor whose initialiser takes the executor, as in programs that pass an executor of the main context.
@ModelActor actor ChosenStore {
  init(modelContainer: ModelContainer, modelExecutor: any ModelExecutor) {
    self.modelContainer = modelContainer
    self.modelExecutor = modelExecutor
  }

  func isOnMainActor() -> Bool { Concurrency.isOnMainActor() }

  func add(_ name: String) throws {
    modelContext.insert(Trip(name))
    try modelContext.save()
  }

  func run<Result>(_ body: @Sendable (isolated ChosenStore) -> sending Result) -> sending Result { body(self) }
}

import SwiftData
import Testing

@ModelActor @globalActor actor StoreActor {
  static let shared = StoreActor(modelContainer: .global)
}

extension ModelContainer {
  fileprivate static let global: ModelContainer = {
    do {
      return try ModelContainer(
        for: Schema(tripModels), configurations: ModelConfiguration("global", isStoredInMemoryOnly: true))
    } catch {
      fatalError("the container of the tests cannot be made: \(error)")
    }
  }()
}

/// A class with a model as a property. It uses the model synchronously, because both are isolated to the same actor.
@StoreActor final class Selection {
  private(set) var trip: Trip?

  func select(_ name: String) throws {
    let trip = Trip(name)
    StoreActor.modelContext.insert(trip)
    try StoreActor.modelContext.save()
    self.trip = trip
  }

  func rename(_ name: String) throws {
    trip?.name = name
    try StoreActor.modelContext.save()
  }

  var isOnMainActor: Bool { Concurrency.isOnMainActor() }
}

@StoreActor private func storedName(of selection: Selection) throws -> String? {
  guard let trip = selection.trip else { return nil }
  #expect(trip.modelContext === StoreActor.modelContext)
  return try ModelContext(StoreActor.shared.modelContainer).existingModel(for: trip.persistentModelID, as: Trip.self)
    .name
}

@Suite("Global model actors")
struct GlobalActorTests {
  @Test("a class that is isolated to a global model actor can have a model as a property")
  func classes() async throws {
    let selection = await Selection()
    try await selection.select("Oslo")
    #expect(try await storedName(of: selection) == "Oslo")
    try await selection.rename("Bergen")
    #expect(try await storedName(of: selection) == "Bergen")
  }

  @MainActor
  @Test("code that is isolated to a global model actor runs off the main actor")
  func thread() async {
    let selection = await Selection()
    #expect(await !selection.isOnMainActor)
  }

  @Test("a closure can be isolated to a global model actor")
  func closures() async throws {
    let name = try await Task { @StoreActor in
      let trip = Trip("Rome")
      StoreActor.modelContext.insert(trip)
      try StoreActor.modelContext.save()
      return trip.name
    }.value
    #expect(name == "Rome")
  }
}

extension ModelContext {
  fileprivate func existingModel<T: PersistentModel>(for identifier: PersistentIdentifier, as type: T.Type) throws -> T
  {
    try existingModel(for: identifier)
  }
}

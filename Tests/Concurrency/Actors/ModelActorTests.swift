import SwiftData
import Testing

@Suite("Model actors")
struct ModelActorTests {
  @Test("a model actor has a context of its container, and saves with it", arguments: Engine.allCases)
  func saves(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let trips = TripStore(modelContainer: store.container)
    let identifier = try await trips.add("Oslo")
    #expect(trips.modelContainer == store.container)
    #expect(try await trips.names() == ["Oslo"])
    #expect(try store.storedNames == ["Oslo"])
    #expect(await trips.name(of: identifier) == "Oslo")
  }

  @Test(
    "a model actor finds no model for an identifier of a deleted row or of another type", arguments: Engine.allCases)
  func absent(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let trips = TripStore(modelContainer: store.container)
    let context = store.context()
    let stop = Stop("Bergen")
    let trip = Trip("Oslo")
    context.insert(stop)
    context.insert(trip)
    try context.save()
    let identifiers = (stop.persistentModelID, trip.persistentModelID)
    #expect(await trips.name(of: identifiers.0) == nil)
    context.delete(trip)
    try context.save()
    #expect(await trips.name(of: identifiers.1) == nil)
  }

  @MainActor
  @Test("a model actor that is created on the main actor does not run on the main actor", arguments: Engine.allCases)
  func besideMainThread(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    await Task.yield()
    #expect(isOnMainActor())
    let trips = TripStore(modelContainer: store.container)
    for _ in 0..<20 { #expect(await !trips.isOnMainActor()) }
    let container = store.container
    let made = await Task { TripStore(modelContainer: container) }.value
    #expect(await !made.isOnMainActor())
  }

  @Test("a model actor that is created off the main actor does not run on the main actor", arguments: Engine.allCases)
  func beside(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let container = store.container
    let trips = await Task.detached { TripStore(modelContainer: container) }.value
    #expect(await !trips.isOnMainActor())
  }

  @MainActor
  @Test("a model actor of the main context runs on the main actor", arguments: Engine.allCases)
  func mainContext(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let container = store.container
    let executor = DefaultSerialModelExecutor(modelContext: container.mainContext)
    let trips = ChosenStore(modelContainer: container, modelExecutor: executor)
    #expect(await trips.isOnMainActor())
    let answer = Task.detached { await trips.isOnMainActor() }
    #expect(await answer.value)
    try await trips.add("Oslo")
    #expect(try container.mainContext.trip("Oslo").modelContext === container.mainContext)
  }

  @Test("synchronous code that runs on a model actor may use the actor with assumeIsolated", arguments: Engine.allCases)
  func assumesIsolation(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let trips = ChosenStore(
      modelContainer: store.container,
      modelExecutor: DefaultSerialModelExecutor(modelContext: ModelContext(store.container)))
    let count = await trips.run { trips in
      trips.preconditionIsolated()
      trips.assertIsolated()
      return trips.assumeIsolated { trips in
        trips.modelContext.insert(Trip("Oslo"))
        return trips.modelContext.insertedModelsArray.count
      }
    }
    #expect(count == 1)
  }

  @Test("a model actor keeps its models between calls", arguments: Engine.allCases)
  func keepsModels(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let journal = Journal(modelContainer: store.container)
    try await journal.begin("Oslo")
    for day in 1...5 { try await journal.addDay(day) }
    #expect(await journal.days == 6)
    #expect(try store.context().trip("Oslo").days == 6)
  }
}

/// A model actor with a model as a property.
@ModelActor actor Journal {
  private var trip: Trip?

  var days: Int { trip?.days ?? 0 }

  func begin(_ name: String) throws {
    let trip = Trip(name)
    modelContext.insert(trip)
    try modelContext.save()
    self.trip = trip
  }

  func addDay(_ day: Int) throws {
    trip?.days += 1
    try modelContext.save()
  }
}

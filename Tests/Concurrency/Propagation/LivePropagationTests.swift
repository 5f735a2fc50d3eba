import OpenSwiftData
import Testing

/// An actor with a fetched trip as a property. After the fetch it calls neither its context nor the store.
@ModelActor private actor Holder {
  private var trip: Trip?
  let changes = Log<Bool>()

  func hold(_ name: String) throws {
    let trip = try modelContext.trip(name)
    self.trip = trip
    observe(trip)
  }

  private func observe(_ trip: Trip) {
    let changes = changes
    let queue = self
    withObservationTracking {
      _ = trip.days
    } onChange: {
      changes.add((try? queue.assumeIsolatedHere()) ?? false)
    }
  }

  nonisolated func assumeIsolatedHere() throws -> Bool {
    assumeIsolated { holder in holder.trip != nil }
  }

  var days: Int? { trip?.days }
  var isDeleted: Bool? { trip?.isDeleted }

  /// Reads the trip's days in a loop until the flag is raised, without suspending. Returns all values that it read.
  func watch(until flag: Flag, _ begun: Flag) -> Set<Int> {
    var seen: Set<Int> = []
    while !flag.isRaised {
      seen.insert(trip?.days ?? -1)
      begun.raise()
    }
    return seen
  }
}

@Suite("Changes that other contexts saved, applied without a call from the program", .timeLimit(.minutes(10)))
struct LivePropagationTests {
  @Test(
    "a model of an actor gets the changes, and its observers are notified on the actor's executor",
    arguments: Engine.allCases)
  func modelActor(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let holder = Holder(modelContainer: store.container)
    try await holder.hold("Oslo")
    let database = ModelDatabase(modelContainer: store.container)
    try await database.update(where: #Predicate<Trip> { $0.name == "Oslo" }) { $0.days = 7 }
    #expect(await eventually { await holder.days == 7 })
    #expect(holder.changes.entries == [true])
    try await database.delete(model: Trip.self)
    #expect(await eventually { await holder.isDeleted == true })
  }

  @MainActor
  @Test(
    "models of the main context get the changes, and their observers are notified on the main actor",
    arguments: Engine.allCases)
  func mainContext(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let trip = try store.container.mainContext.trip("Oslo")
    let places = Log<Bool>()
    withObservationTracking {
      _ = trip.days
    } onChange: {
      places.add(isOnMainActor())
    }
    let reference = Model(trip)
    let database = ModelDatabase(modelContainer: store.container)
    try await database.update(reference) { $0.days = 7 }
    #expect(await eventually { trip.days == 7 })
    #expect(places.entries == [true])
  }

  @Test("models do not change while synchronous code runs", arguments: Engine.allCases)
  func midOperation(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let holder = Holder(modelContainer: store.container)
    try await holder.hold("Oslo")
    let (stop, begun) = (Flag(), Flag())
    async let seen = holder.watch(until: stop, begun)
    #expect(await eventually { begun.isRaised })
    let database = ModelDatabase(modelContainer: store.container)
    for day in 2..<20 { try await database.update(where: nil) { (trip: Trip) in trip.days = day } }
    stop.raise()
    #expect(await seen == [1])
    #expect(await eventually { await holder.days == 19 })
  }

  @Test("if two actors share a context, the models of both get the changes", arguments: Engine.allCases)
  func sharedContext(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let executor = DefaultSerialModelExecutor(modelContext: store.context())
    var first: ChosenStore? = ChosenStore(modelContainer: store.container, modelExecutor: executor)
    let second = ChosenStore(modelContainer: store.container, modelExecutor: executor)
    let identifier = try store.context().trip("Oslo").persistentModelID
    _ = await first?.run { $0.modelContext.model(for: identifier).persistentModelID }
    first = nil
    let keeper = Keeper()
    await second.run { store in keeper.keep(store.modelContext.model(for: identifier)) }
    let database = ModelDatabase(modelContainer: store.container)
    try await database.update(Model<Trip>(persistentIdentifier: identifier)) { $0.days = 2 }
    // The first actor received the notifications for the context, and has been released. With its next operation,
    // `second` receives them instead.
    #expect(await eventually { await second.run { $0.refreshedDays(keeper) } == 2 })
    try await database.update(Model<Trip>(persistentIdentifier: identifier)) { $0.days = 3 }
    #expect(await eventually { await second.run { _ in keeper.days } == 3 })
  }
}

/// Holds a model of an actor. Sendable without checks: only code on the actor's executor uses the model.
private final class Keeper: @unchecked Sendable {
  private var trip: Trip?

  func keep(_ model: any PersistentModel) { trip = model as? Trip }
  var days: Int? { trip?.days }
}

extension ChosenStore {
  fileprivate func refreshedDays(_ keeper: Keeper) -> Int? {
    _ = try? modelContext.fetchCount(FetchDescriptor<Stop>())
    return keeper.days
  }
}

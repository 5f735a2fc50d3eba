import Dispatch
import OpenSwiftData
import Testing

/// Moves models to another thread and releases them there, to test the release of the last reference on another thread.
///
/// Sendable without checks: the other thread only releases the models, and does not use them.
private final class Burden: @unchecked Sendable {
  private var models: [any PersistentModel]
  private var context: ModelContext?

  init(_ models: [any PersistentModel], _ context: ModelContext? = nil) {
    self.models = models
    self.context = context
  }

  func drop() {
    models = []
    context = nil
  }
}

@Suite("Models and contexts that are released on other threads", .timeLimit(.minutes(10)))
struct ReleaseTests {
  private func graph(_ store: TestStore) throws {
    let context = store.context()
    for number in 0..<300 {
      let trip = Trip("\(number)")
      trip.stops = [Stop("a"), Stop("b")]
      trip.travellers = [Traveller("\(number)")]
      context.insert(trip)
    }
    try context.save()
  }

  @Test("releasing models on another thread does not harm their context", arguments: Engine.allCases)
  func models(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try graph(store)
    let container = store.container
    try await Task.detached {
      let context = ModelContext(container)
      let queue = DispatchQueue(label: "elsewhere")
      for round in 0..<30 {
        let trips = try context.fetch(FetchDescriptor<Trip>())
        #expect(trips.count == 300)
        #expect(trips.allSatisfy { $0.stops.count == 2 })
        let burden = Burden(trips)
        queue.async { burden.drop() }
        if round.isMultiple(of: 5) {
          context.insert(Stop("\(round)"))
          try context.save()
        }
      }
    }.value
  }

  @Test("contexts are released on another thread, with their models or before them", arguments: Engine.allCases)
  func contexts(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try graph(store)
    let container = store.container
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          var context: ModelContext? = ModelContext(container)
          context?.autosaveEnabled = number.isMultiple(of: 4)
          let trips = (try? context?.fetch(FetchDescriptor<Trip>())) ?? []
          context?.insert(Stop("late \(number)"))
          if number.isMultiple(of: 2) {
            let burden = Burden([], context)
            context = nil
            async let dropped: Void = Task.detached { burden.drop() }.value
            await dropped
            #expect(trips.first?.stops.count == 2)
          } else {
            let burden = Burden(trips, context)
            context = nil
            DispatchQueue.global().async { burden.drop() }
          }
        }
      }
    }
    // Ten of the contexts had autosave enabled. When each of them was released, its autosave wrote its stop.
    let late = FetchDescriptor<Stop>(predicate: #Predicate { $0.place.starts(with: "late") })
    #expect(try await eventuallyCount(late, in: container) == 10)
  }

  private func eventuallyCount(_ descriptor: FetchDescriptor<Stop>, in container: ModelContainer) async throws -> Int {
    _ = try await eventually { try ModelContext(container).fetchCount(descriptor) == 10 }
    return try ModelContext(container).fetchCount(descriptor)
  }

  @Test("actors are released while other code changes their models", arguments: Engine.allCases)
  func actors(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try graph(store)
    let container = store.container
    let database = ModelDatabase(modelContainer: container)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          for _ in 0..<10 { _ = try await TripStore(modelContainer: container).names() }
        }
      }
      group.addTask {
        for day in 0..<50 { try await database.update(where: #Predicate<Trip> { $0.name == "7" }) { $0.days = day } }
      }
      try await group.waitForAll()
    }
    #expect(try store.context().trip("7").days == 49)
  }
}

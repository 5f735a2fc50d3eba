import OpenSwiftData
import Testing

@Suite("Cancelled tasks", .timeLimit(.minutes(10)))
struct CancellationTests {
  private static let count = 20_000

  private func filledStore(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<Self.count { context.insert(Trip("\(number)", days: number)) }
    try context.save()
    return store
  }

  /// Runs an operation in a cancelled task, in a context of its own, and returns the error that the operation throws.
  private func errorOfCancelled(
    in container: ModelContainer, _ body: @escaping @Sendable (ModelContext) throws -> Void
  ) async -> (any Error)? {
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      do {
        try body(ModelContext(container))
        return nil
      } catch {
        return error as any Error
      }
    }.value
  }

  /// Like ``errorOfCancelled(in:_:)``, for an operation that is short enough to end. A busy server may not answer in the
  /// time that a cancelled task has, so the operation may run several times on a server.
  private func errorOfCancelledAndRepeated(
    _ engine: Engine, in container: ModelContainer, _ body: @escaping @Sendable (ModelContext) throws -> Void
  ) async -> (any Error)? {
    var error: (any Error)?
    for _ in 0..<(engine == .postgres ? 5 : 1) {
      error = await errorOfCancelled(in: container, body)
      if !(error is CancellationError) { return error }
    }
    return error
  }

  @Test("cancellation stops a long fetch between rows", arguments: Engine.allCases)
  func rows(_ engine: Engine) async throws {
    let container = try filledStore(engine).container
    let error = await errorOfCancelled(in: container) { _ = try $0.fetch(FetchDescriptor<Trip>()) }
    #expect(error is CancellationError)
  }

  @Test("cancellation stops a long search without results", arguments: Engine.allCases)
  func search(_ engine: Engine) async throws {
    let container = try filledStore(engine).container
    // The search looks for 400 names, so that it takes long enough: a server compares one name with all rows in a
    // millisecond.
    let places = (0..<400).map { "nowhere \($0)" }
    let none = FetchDescriptor<Trip>(predicate: .any(places.map { place in #Predicate { $0.name == place } }))
    let searches: [@Sendable (ModelContext) throws -> Void] = [
      { _ = try $0.fetch(none) }, { _ = try $0.fetchCount(none) }, { _ = try $0.fetchIdentifiers(none) },
    ]
    for search in searches {
      #expect(await errorOfCancelled(in: container, search) is CancellationError)
    }
  }

  @Test("cancellation stops the evaluation of a predicate in memory", arguments: Engine.allCases)
  func inMemory(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<200 { context.insert(Trip("\(number)")) }
    try context.save()
    let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.name.count > 2 })
    let error = await errorOfCancelledAndRepeated(engine, in: store.container) { context in
      let count = try context.fetch(descriptor).count
      #expect(count == 100)
    }
    #expect(error == nil)
    for number in 200..<600 { context.insert(Trip("\(number)")) }
    try context.save()
    #expect(await errorOfCancelled(in: store.container) { _ = try $0.fetch(descriptor) } is CancellationError)
  }

  @Test(
    "a cancelled task can still clean up: short fetches, saves and property access do not throw",
    arguments: Engine.allCases)
  func tidyingUp(_ engine: Engine) async throws {
    let store = try filledStore(engine)
    let error = await errorOfCancelledAndRepeated(engine, in: store.container) { context in
      var few = FetchDescriptor<Trip>()
      few.fetchLimit = 100
      few.propertiesToFetch = [\.days]
      let trips = try context.fetch(few)
      #expect(trips.map(\.name).count == 100)
      for number in 0..<1_000 { trips[0].stops.append(Stop("\(number)")) }
      try context.save()
    }
    #expect(error == nil)
    let context = store.context()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 1_000)
    let reading = await errorOfCancelled(in: store.container) { context in
      let count = try context.trip("0").stops.count
      #expect(count == 1_000)
    }
    // The fetch of the trip is a search, which cancellation may interrupt. The relationship is read completely or not
    // at all.
    #expect(reading == nil || reading is CancellationError)
  }

  @Test("cancellation interrupts a running search", arguments: Engine.allCases)
  func running(_ engine: Engine) async throws {
    let store = try filledStore(engine)
    let database = ModelDatabase(modelContainer: store.container)
    let begun = Flag()
    let task = Task {
      try await database.read { context in
        while true {
          begun.raise()
          _ = try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.name.contains("nowhere") }))
        }
      }
    }
    #expect(await eventually { begun.isRaised })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await database.count(Trip.self) == Self.count)
  }

  @Test("a cancelled task does not start an operation of a database", arguments: Engine.allCases)
  func database(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let database = ModelDatabase(modelContainer: store.container)
    let operations: [@Sendable () async throws -> Void] = [
      { try await database.insert { Trip("Rome") } },
      { try await database.update(where: nil) { (trip: Trip) in trip.name = "Rome" } },
      { try await database.delete(model: Trip.self) },
      { try await database.transaction { $0.insert(Trip("Rome")) } },
      { _ = try await database.count(Trip.self) },
    ]
    for operation in operations {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await operation()
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(try store.storedNames == ["Oslo"])
  }
}

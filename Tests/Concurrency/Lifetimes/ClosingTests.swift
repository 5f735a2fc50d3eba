import Dispatch
import Foundation
import SwiftData
import Testing

@Suite("Closing a container", .timeLimit(.minutes(10)))
@MainActor
struct ClosingTests {
  private let clock = ManualClock()

  private func count(_ store: TestStore) throws -> Int {
    try store.context().fetchCount(FetchDescriptor<Traced>())
  }

  @Test("closing saves pending changes of contexts with autosave, each on its executor", arguments: Engine.allCases)
  func saves(_ engine: Engine) async throws {
    await Task.yield()
    let store = try TestStore(engine, [Traced.self])
    let container = store.container
    let thread = ThreadExecutor()
    defer { thread.end() }
    let names = Home.allCases.map { "\($0) \(UUID())" }
    var actors: [TracedStore] = []
    for (home, name) in zip(Home.allCases, names) where home != .loose {
      let actor = home.actor(of: container, on: thread)
      await actor.leave(name, clock: clock)
      actors.append(actor)
    }
    let name = UUID().uuidString
    container.mainContext.insert(Traced(name))
    try await container.close()
    #expect(Trace.places(of: name) == ["main"])
    for (home, name) in zip(Home.allCases, names) where home != .loose {
      #expect(Trace.places(of: name) == [home.place])
    }
    guard engine.persists else { return }
    try store.reopen()
    #expect(try count(store) == 5)
    withExtendedLifetime(actors) {}
  }

  @Test(
    "loaded values stay readable after closing; every other operation throws a descriptive error",
    arguments: Engine.allCases)
  func afterwards(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let container = store.container
    let main = container.mainContext
    main.autosaveClock = clock
    let model = Traced("main")
    main.insert(model)
    let manual = store.context()
    let unsaved = Traced("unsaved")
    manual.insert(unsaved)
    let actor = TracedStore(modelContainer: container)
    await actor.leave("actor", clock: clock)
    try await container.close()
    try await container.close()
    #expect(model.trace.name == "main" && unsaved.trace.name == "unsaved")
    model.trace.count = 7
    #expect(model.trace.count == 7 && main.hasChanges)
    for context in [main, manual, container.mainContext, ModelContext(container)] {
      let error = #expect(throws: SwiftDataError.storeUnreachable) { try context.fetch(FetchDescriptor<Traced>()) }
      #expect(error?.explanation?.contains("has been closed") == true)
    }
    #expect(throws: SwiftDataError.storeUnreachable) { try main.save() }
    #expect(throws: SwiftDataError.storeUnreachable) { try manual.save() }
    #expect(throws: SwiftDataError.storeUnreachable) { try container.erase() }
    await #expect(throws: SwiftDataError.storeUnreachable) {
      try await actor.run { try $0.modelContext.fetchCount(FetchDescriptor<Traced>()) }
    }
    #expect(manual.hasChanges && manual.insertedModelsArray.count == 1)
    // The store is closed, so an autosave cannot succeed. It must not be tried again.
    await clock.advance(by: .seconds(600))
    #expect(clock.callCount == 0)
    guard engine.persists else { return }
    try store.reopen()
    #expect(try count(store) == 2)
  }

  @Test("if closing throws, the container stays open", arguments: Engine.allCases)
  func failure(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let container = store.container
    let model = Traced("bad")
    container.mainContext.insert(model)
    let actor = TracedStore(modelContainer: container)
    await actor.leave("actor", clock: clock)
    await #expect(throws: SwiftDataError.valueNotStorable) { try await container.close() }
    #expect(throws: SwiftDataError.valueNotStorable) { try closeAtOnce(container) }
    #expect(try count(store) == 1)
    model.trace = Trace("mended")
    try await container.close()
    guard engine.persists else { return }
    try store.reopen()
    #expect(try count(store) == 2)
  }

  private func closeAtOnce(_ container: ModelContainer) throws { try container.close() }

  @Test("closing synchronously saves the main context", arguments: Engine.allCases)
  func synchronous(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    store.container.mainContext.insert(Traced("main"))
    try closeAtOnce(store.container)
    try closeAtOnce(store.container)
    guard engine.persists else { return }
    try store.reopen()
    #expect(try count(store) == 1)
  }

  @Test("closing during a save or a transaction throws, and the container stays open", arguments: Engine.allCases)
  func inSave(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let container = store.container
    let main = container.mainContext
    let token = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: main, queue: nil) { _ in
      MainActor.assumeIsolated { _ = #expect(throws: SwiftDataError.storeBusy) { try container.close() } }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    main.insert(Traced("main"))
    try main.save()
    #expect(throws: SwiftDataError.storeBusy) { try main.transaction { try closeAtOnce(container) } }
    #expect(try count(store) == 1)
  }

  @Test("closing does not save contexts without autosave", arguments: Engine.allCases)
  func manual(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    store.container.mainContext.autosaveEnabled = false
    store.container.mainContext.insert(Traced("main"))
    try await store.container.close()
    guard engine.persists else { return }
    try store.reopen()
    #expect(try count(store) == 0)
  }

  @Test("closing does not save invalid changes; a later save throws for them", arguments: Engine.allCases)
  func refusal(_ engine: Engine) async throws {
    let (store, other) = (try TestStore(engine, [Traced.self]), try TestStore(engine, [Traced.self]))
    let foreign = Traced("foreign")
    other.container.mainContext.insert(foreign)
    let main = store.container.mainContext
    main.insert(Traced("main"))
    main.insert(foreign)
    try await store.container.close()
    #expect(throws: SwiftDataError.modelOfAnotherContext) { try main.save() }
    guard engine.persists else { return }
    try store.reopen()
    #expect(try count(store) == 1)
  }

  @Test("closing waits for the saves of released actors")
  func actorsThatWent() async throws {
    for _ in 0..<30 {
      let store = try TestStore(.file, [Traced.self])
      do {
        let actor = TracedStore(modelContainer: store.container)
        await actor.leave("actor", clock: clock)
      }
      try await store.container.close()
      try store.reopen()
      #expect(try count(store) == 1)
    }
  }

  @Test("closing does not wait for a context whose executors were released", arguments: [1, 2])
  func keptContext(_ count: Int) async throws {
    let store = try TestStore(.file, [Traced.self])
    let context = store.context()
    context.autosaveEnabled = true
    context.autosaveClock = clock
    for number in 0..<count {
      let executor = DefaultSerialModelExecutor(modelContext: context)
      context.insert(Traced("kept \(number)"))
      withExtendedLifetime(executor) {}
    }
    try await store.container.close()
    #expect(context.hasChanges)
  }

  @Test("the values of a retained object stay readable and can be changed after closing", arguments: Engine.allCases)
  func outliving(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo", "Bergen")
    let trips = try store.context().fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    try await store.container.close()
    #expect(trips.map(\.name) == ["Bergen", "Oslo"])
    #expect(trips[0].stops.isEmpty)
    trips[0].name = "changed"
    #expect(trips[0].name == "changed")
  }
}

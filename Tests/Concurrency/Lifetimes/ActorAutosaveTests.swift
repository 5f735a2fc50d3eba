import Dispatch
import Foundation
import OpenSwiftData
import Testing

@Suite("Autosaves of model actors", .timeLimit(.minutes(10)))
struct ActorAutosaveTests {
  private let clock = ManualClock()

  private func stored(_ store: TestStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Traced>()).map(\.trace.name)
  }

  @Test("an idle actor saves half a second after a change, on its executor", arguments: Engine.allCases, Home.allCases)
  func idle(_ engine: Engine, _ home: Home) async throws {
    let store = try TestStore(engine, [Traced.self])
    let thread = ThreadExecutor()
    defer { thread.end() }
    let actor = home.actor(of: store.container, on: thread)
    let name = UUID().uuidString
    await actor.leave(name, clock: clock)
    await clock.advance(by: .milliseconds(499))
    #expect(try stored(store) == [])
    await clock.advance(by: .milliseconds(1))
    // On an executor that is not serial, the autosave is an asynchronous call to the actor. The clock does not wait for
    // it.
    if home == .loose { #expect(try await eventually { try stored(store) == [name] }) }
    #expect(try stored(store) == [name])
    #expect(Trace.places(of: name) == [home.place])
    #expect(await actor.run { !$0.modelContext.hasChanges })
    // A second change is saved in the same way.
    await clock.advance(by: .seconds(5))
    await actor.leave(name, clock: clock)
    await clock.advance(by: .milliseconds(500))
    #expect(try await eventually { try stored(store) == [name, name] })
  }

  @Test("an idle database saves half a second after a change", arguments: Engine.allCases)
  func database(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let database = ModelDatabase(modelContainer: store.container)
    let clock = clock
    await database.withModelContext { context in
      context.autosaveClock = clock
      context.autosaveEnabled = true
      context.insert(Traced("left"))
    }
    await clock.advance(by: .milliseconds(500))
    #expect(try stored(store) == ["left"])
  }

  @Test("a context that gets its executor after a change still saves that change", arguments: Engine.allCases)
  func laterExecutor(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let context = store.context()
    context.autosaveClock = clock
    context.autosaveEnabled = true
    context.insert(Traced("before"))
    let executor = DefaultSerialModelExecutor(modelContext: context)
    await clock.advance(by: .milliseconds(500))
    #expect(try stored(store) == ["before"])
    withExtendedLifetime(executor) {}
  }

  @Test("without autosave, the context does not save", arguments: Engine.allCases)
  func off(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let actor = TracedStore(modelContainer: store.container)
    let clock = clock
    await actor.run {
      $0.modelContext.autosaveClock = clock
      $0.modelContext.insert(Traced("left"))
    }
    await clock.advance(by: .seconds(60))
    #expect(clock.callCount == 0)
    #expect(try stored(store) == [])
  }

  @Test("an autosave that failed is tried again", arguments: Engine.allCases)
  func failure(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let actor = TracedStore(modelContainer: store.container)
    await actor.leave("bad", clock: clock)
    await clock.advance(by: .seconds(1))
    #expect(try stored(store) == [])
    await actor.run { actor in
      for case let model as Traced in actor.modelContext.insertedModelsArray { model.trace = Trace("mended") }
    }
    await clock.advance(by: .seconds(2))
    #expect(try stored(store) == ["mended"])
  }

  @Test("an autosave omits invalid changes; the actor's own save throws for them", arguments: Engine.allCases)
  func refusal(_ engine: Engine) async throws {
    let (store, other) = (try TestStore(engine, [Traced.self]), try TestStore(engine, [Traced.self]))
    let actor = TracedStore(modelContainer: store.container)
    let elsewhere = other.container
    await actor.leave("left", clock: clock)
    await actor.run { actor in
      let foreign = Traced("foreign")
      let context = ModelContext(elsewhere)
      context.insert(foreign)
      actor.modelContext.insert(foreign)
    }
    await clock.advance(by: .seconds(60))
    #expect(try stored(store) == ["left"])
    await #expect(throws: SwiftDataError.modelOfAnotherContext) { try await actor.run { try $0.modelContext.save() } }
    try await actor.run { try $0.modelContext.save() }
  }

  @Test("a scheduled autosave keeps neither the actor nor its context alive", arguments: Engine.allCases, Home.allCases)
  func release(_ engine: Engine, _ home: Home) async throws {
    let store = try TestStore(engine, [Traced.self])
    let thread = ThreadExecutor()
    defer { thread.end() }
    weak var actor: TracedStore?
    let name = UUID().uuidString
    do {
      let living = home.actor(of: store.container, on: thread)
      actor = living
      await living.leave(name, clock: clock)
    }
    #expect(clock.callCount == 1)
    #expect(await eventually { actor == nil })
    // When the actor was released, the pending changes were saved on the actor's executor.
    #expect(try await eventually { try stored(store) == [name] })
    let isOurs = home != .handWritten && home != .loose
    if isOurs { #expect(Trace.places(of: name) == [home.place]) }
    await clock.advance(by: .seconds(60))
    #expect(try stored(store) == [name])
    #expect(clock.callCount == 0)
  }

  @Test("the system's clock triggers the autosave of an idle actor", arguments: Engine.allCases)
  func systemClock(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let actor = TracedStore(modelContainer: store.container)
    await actor.run {
      $0.modelContext.autosaveEnabled = true
      $0.modelContext.insert(Traced("left"))
    }
    #expect(try await eventually { try stored(store) == ["left"] })
  }

  @Test("no change is lost if many actors make changes, save and are released at once", arguments: Engine.allCases)
  func many(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let container = store.container
    let clock = clock
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          let actor = TracedStore(modelContainer: container)
          for round in 0..<5 {
            await actor.leave("\(number).\(round)", clock: clock)
            if (number + round).isMultiple(of: 3) { await clock.advance(by: .milliseconds(200)) }
          }
        }
      }
      for _ in 0..<20 {
        group.addTask { await clock.advance(by: .milliseconds(300)) }
      }
    }
    // Closing a store in memory deletes its content, so the test counts the models before `close()`. In other stores it
    // counts them after `close()`.
    if !engine.persists {
      let hasAll = try await eventually { try stored(store).count == 200 }
      #expect(hasAll)
    }
    try await container.close()
    guard engine.persists else { return }
    try store.reopen()
    #expect(try stored(store).count == 200)
  }
}

import Dispatch
import Foundation
import SwiftData
import Testing

@Suite("Contexts whose last reference is released on another thread", .timeLimit(.minutes(10)))
struct ContextEndTests {
  /// Creates a model of the main context with an unsaved change, and the last reference to the container.
  @MainActor
  private func scene(_ store: TestStore, _ name: String) throws -> (model: Traced, owner: LastReference) {
    let container = store.container
    let model = Traced(name)
    container.mainContext.insert(model)
    try container.mainContext.save()
    model.trace.count = 1
    store.releaseContainer()
    return (model, LastReference(container))
  }

  @MainActor
  @Test("the main context stays usable, and is released on the main actor", arguments: Engine.allCases)
  func mainContext(_ engine: Engine) async throws {
    await Task.yield()
    for _ in 0..<20 {
      let store = try TestStore(engine, [Traced.self])
      let name = UUID().uuidString
      let (model, owner) = try scene(store, name)
      weak let context = model.modelContext
      // Up to the next `await`, this code uses the model on the main actor without suspending.
      owner.dropElsewhere()
      #expect(model.modelContext != nil)
      #expect(model.trace.count == 1)
      #expect(Trace.places(of: name).count == 1)
      model.trace.count = 2
      #expect(context?.hasChanges == true)
      #expect(await eventually { context == nil })
      #expect(model.modelContext == nil)
      #expect(model.trace.count == 2)
      #expect(Trace.places(of: name) == ["main", "main"])
      guard engine.persists else { continue }
      try store.reopen()
      #expect(try store.context().fetch(FetchDescriptor<Traced>()).map(\.trace.count) == [2])
    }
  }

  @MainActor
  @Test("a main context that the program retains stays alive and autosaves", arguments: Engine.allCases)
  func held(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let (model, owner) = try scene(store, UUID().uuidString)
    let clock = ManualClock()
    let context = try #require(model.modelContext)
    owner.dropElsewhere()
    await Task.yield()
    #expect(model.modelContext === context)
    try context.save()
    context.autosaveClock = clock
    model.trace.count = 2
    await clock.advance(by: .milliseconds(500))
    #expect(!context.hasChanges)
  }

  @MainActor
  @Test("the executor of a main context releases it on the main actor", arguments: Engine.allCases)
  func executorOfMainContext(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    let name = UUID().uuidString
    func owner() -> (Traced, LastReference) {
      let context = store.container.mainContext
      let actor = TracedStore(
        modelContainer: store.container, modelExecutor: DefaultSerialModelExecutor(modelContext: context))
      let model = Traced(name)
      context.insert(model)
      store.releaseContainer()
      return (model, LastReference(actor))
    }
    let (model, burden) = owner()
    weak let context = model.modelContext
    burden.dropElsewhere()
    #expect(model.modelContext != nil)
    #expect(await eventually { context == nil })
    #expect(Trace.places(of: name) == ["main"])
  }

  @Test(
    "the context of a model actor is released on its executor", arguments: Engine.allCases, [Home.own, .queue, .thread])
  func actors(_ engine: Engine, _ home: Home) async throws {
    let store = try TestStore(engine, [Traced.self])
    let thread = ThreadExecutor()
    defer { thread.end() }
    let name = UUID().uuidString
    let clock = ManualClock()
    func owner() async -> LastReference {
      let actor = home.actor(of: store.container, on: thread)
      await actor.leave(name, clock: clock)
      return LastReference(actor)
    }
    await owner().dropElsewhere()
    #expect(try await eventually { try store.context().fetchCount(FetchDescriptor<Traced>()) == 1 })
    #expect(Trace.places(of: name) == [home.place])
  }

  @Test("an executor without pending changes releases its context at once", arguments: Engine.allCases)
  func nothingToDo(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Traced.self])
    weak var context: ModelContext?
    func owner() -> LastReference {
      let made = store.context()
      context = made
      return LastReference(DefaultSerialModelExecutor(modelContext: made))
    }
    owner().dropElsewhere()
    #expect(context == nil)
  }
}

import SwiftData
import Testing

/// An actor with two relationships to critics. Their inverses are the critic's lists `written` and `edited`.
@Model
actor Review {
  var title: String
  @Relationship(inverse: Critic.keyPath(\.written)) var critic: Critic?
  @Relationship(inverse: Critic.keyPath(\.edited)) var editor: Critic?

  init(_ title: String, by critic: Critic? = nil, editor: Critic? = nil) {
    self._title = title
    self._critic = critic
    self._editor = editor
  }

  func assign(_ critic: Critic?) { self.critic = critic }

  func isNew() -> Bool { modelContext == nil }
}

@Model
actor Critic {
  var name: String
  var written: [Review] = []
  var edited: [Review] = []

  init(_ name: String) { self._name = name }

  func write(_ review: Review) { written.append(review) }

  func titles() -> [String] { written.map { review in review.assumeIsolated { $0.title } } }

  func counts() -> [Int] { [written.count, edited.count] }
}

/// A model that is an actor may be related to a model whose context belongs to another executor. The actor's code may
/// not use that context.
@Suite("Actors that are related to a model in the context of another executor")
struct RelatingElsewhereTests {
  private let models: [any PersistentModel.Type] = [Review.self, Critic.self]

  private func critic(in shelf: Shelf) async throws -> Critic {
    let critic = Critic("Ada")
    try await shelf.insert([critic])
    return critic
  }

  @Test(
    "a new actor is in no context until the program inserts it, whichever property its initialiser sets last",
    arguments: Engine.allCases)
  func initialiser(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let shelf = Shelf(store.container)
    let critic = try await critic(in: shelf)
    let review = Review("a", by: critic)
    #expect(await review.isNew())
    #expect(await review.critic === critic)
    #expect(await critic.titles().isEmpty)
    #expect(await shelf.perform { !$0.hasChanges })
    try await shelf.insert([review])
    #expect(await critic.titles() == ["a"])
  }

  @Test(
    "an actor keeps the relationships that its methods set; its insertion updates the inverses",
    arguments: Engine.allCases)
  func method(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let shelf = Shelf(store.container)
    let critic = try await critic(in: shelf)
    let (kept, dropped) = (Review("kept"), Review("dropped"))
    await kept.assign(critic)
    await dropped.assign(critic)
    await dropped.assign(nil)
    #expect(await kept.critic === critic)
    #expect(await critic.titles().isEmpty)
    try await shelf.insert([kept, dropped])
    #expect(await critic.titles() == ["kept"])
    let saved = try await Shelf(store.container).perform { context in
      try context.fetch(FetchDescriptor<Critic>())[0].assumeIsolated { $0.titles() }
    }
    #expect(saved == ["kept"])
  }

  @Test("an actor is inserted at once if its code runs on the executor of the context", arguments: Engine.allCases)
  func here(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let shelf = Shelf(store.container)
    let critic = try await critic(in: shelf)
    try await shelf.perform { context in
      _ = Review("a", by: critic, editor: critic)
      #expect(critic.assumeIsolated { $0.counts() } == [1, 1])
      try context.save()
    }
    await critic.write(Review("b"))
    #expect(await critic.titles() == ["a", "b"])
  }

  @Test(
    "an actor appears once in each inverse, even if one of the two inverses was updated before the insertion",
    arguments: Engine.allCases)
  func twoEnds(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let shelf = Shelf(store.container)
    let there = try await critic(in: shelf)
    let new = Critic("Bo")
    let review = Review("a", by: new, editor: there)
    // The new critic is in no context, so the initialiser of the review updates the critic's list at once.
    #expect(await review.critic === new)
    #expect(await new.titles() == ["a"])
    #expect(await review.editor === there)
    try await shelf.insert([review])
    #expect(await new.counts() == [1, 0])
    #expect(await there.counts() == [0, 1])
  }

  @Test(
    "an actor is inserted at once into the main context if its code runs on the main thread",
    arguments: Engine.allCases)
  @MainActor func mainThread(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let critic = Critic("Ada")
    store.container.mainContext.insert(critic)
    try store.container.mainContext.save()
    _ = Review("a", by: critic)
    #expect(critic.assumeIsolated { $0.titles() } == ["a"])
  }

  @Test("a save throws if an actor refers to a model that was deleted before the save", arguments: Engine.allCases)
  func deletedMeanwhile(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let shelf = Shelf(store.container)
    let critic = try await critic(in: shelf)
    let review = Review("a", by: critic)
    try await shelf.perform { context in
      context.delete(critic)
      try context.save()
      context.insert(review)
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    }
    await review.assign(nil)
    try await shelf.save()
    let count = try await Shelf(store.container).perform { try $0.fetchCount(FetchDescriptor<Review>()) }
    #expect(count == 1)
  }

  @Test("many tasks may create and change actors while the context is in use", arguments: Engine.allCases)
  func manyTasks(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let shelf = Shelf(store.container)
    let critic = try await critic(in: shelf)
    try await withThrowingTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          for step in 0..<25 {
            let review = Review("\(task) \(step)", by: step.isMultiple(of: 2) ? critic : nil)
            await review.assign(critic)
            try await shelf.insert([review])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(Set(await critic.titles()).count == 100)
    #expect(await critic.counts() == [100, 0])
  }
}

import OpenSwiftData
import Testing

@ModelActor
actor NoteStore {
  func add(_ note: Note) throws -> Model<Note> {
    modelContext.insert(note)
    try modelContext.save()
    return Model(note)
  }

  func notes() throws -> [Note] { try modelContext.fetch(FetchDescriptor(sortBy: [SortDescriptor(\._body)])) }

  /// Reads and changes a model synchronously, as if it were the actor's own state.
  func star(_ note: Note) throws -> Int {
    let stars = note.assumeIsolated { note in
      note.stars += 1
      return note.stars
    }
    try modelContext.save()
    return stars
  }

  func starLater(_ note: Note) async throws -> Int {
    await note.addStar()
    try modelContext.save()
    return await note.stars
  }
}

@ModelActor
@globalActor
actor Archive {
  static let shared = Archive(modelContainer: container)
  /// The tests of the archive share this store, which is in memory.
  static let container = Archive.open()

  private static func open() -> ModelContainer {
    do {
      return try ModelContainer(for: Deed.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    } catch {
      fatalError("a store in memory must open: \(error)")
    }
  }
}

@Model(isolatedTo: Archive.self)
@ModelValue
@Archive
final class Deed {
  var title: String
  var seals: Int = 0

  init(_ title: String) {
    self.title = title
  }
}

@Suite("Models that are actors, in model actors and databases")
struct ModelActorTests {
  @Test(
    "a model runs on the executor of its model actor, so the model actor can use the model synchronously",
    arguments: Engine.allCases)
  func assumption(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let notes = NoteStore(modelContainer: store.container)
    let note = Note("note")
    let reference = try await notes.add(note)
    #expect(reference.persistentIdentifier == note.persistentModelID)
    #expect(try await notes.star(note) == 1)
    #expect(try await notes.starLater(note) == 2)
    let other = NoteStore(modelContainer: store.container)
    let found = try #require(try await other.notes().first)
    #expect(await found.stars == 2)
    #expect(try await other.star(found) == 3)
  }

  @Test("models run on the custom queue of their model actor", arguments: Engine.allCases)
  func queue(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let queue = DispatchQueue(label: "program")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let database = ModelDatabase(
      modelContainer: store.container,
      modelExecutor: DefaultSerialModelExecutor(modelContext: store.context(), queue: queue))
    let note = Note("note")
    try await database.withModelContext { context in
      context.insert(note)
      try context.save()
    }
    #expect(await note.isIn(key))
    #expect(await note.body == "note")
  }

  @Test("models run on the custom executor of their context", arguments: Engine.allCases)
  func executor(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let executor = QueueExecutor()
    let database = ModelDatabase(
      modelContainer: store.container,
      modelExecutor: DefaultSerialModelExecutor(modelContext: store.context(), executor: executor))
    let note = Note("note")
    try await database.withModelContext { context in
      context.insert(note)
      try context.save()
    }
    #expect(await note.isRun(by: executor))
  }

  @Test("changes that another actor saved are applied to a model on the model's executor", arguments: Engine.allCases)
  func propagation(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let notes = NoteStore(modelContainer: store.container)
    let other = NoteStore(modelContainer: store.container)
    let note = Note("note")
    _ = try await notes.add(note)
    let theirs = try #require(try await other.notes().first)
    _ = try await other.star(theirs)
    #expect(await eventually { await note.stars == 1 })
  }

  @Test("ModelDatabase and ModelContainer fetch values without creating objects", arguments: Engine.allCases)
  func values(_ engine: Engine) async throws {
    let store = try TestStore(engine, valueModels)
    let database = ModelDatabase(modelContainer: store.container)
    try await database.withModelContext { context in
      for index in 0..<10 { context.insert(Book("\(index)", pages: index)) }
      try context.save()
      context.insert(Book("unsaved"))
    }
    let descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 6 || $0.title == "unsaved" })
    #expect(try await database.fetchValues(descriptor).map(\.pages) == [7, 8, 9])
    #expect(try await store.container.fetchValues(descriptor).map(\.title) == ["7", "8", "9"])
    let container = store.container
    let counts = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await container.fetchValues(FetchDescriptor<Book>()).count } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 10, count: 8))
  }

  @Test("a global actor can be a model actor, and model classes can be isolated to it")
  func globalActor() async throws {
    let deed = try await Self.makeDeed()
    #expect(await deed.title == "deed")
    try await Self.seal(deed)
    let values = try await Archive.container.fetchValues(
      FetchDescriptor<Deed>(predicate: #Predicate { $0._seals == 1 }))
    #expect(values.map(\.title) == ["deed"])
  }

  @Archive private static func makeDeed() throws -> Deed {
    let deed = Deed("deed")
    Archive.modelContext.insert(deed)
    try Archive.modelContext.save()
    return deed
  }

  @Archive private static func seal(_ deed: Deed) throws {
    deed.seals += 1
    try Archive.modelContext.save()
  }
}

extension Note {
  fileprivate func isIn(_ key: DispatchSpecificKey<Bool>) -> Bool { DispatchQueue.getSpecific(key: key) ?? false }

  fileprivate func isRun(by executor: QueueExecutor) -> Bool { executor.isRunningHere }
}

import SwiftData
import Testing

@Suite("Autosave", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct AutosaveTests {
  private let clock = ManualClock()
  /// The delay that the documentation promises.
  private let delay = Duration.milliseconds(500)

  private func mainContext(of store: TestStore) -> ModelContext {
    let context = store.container.mainContext
    context.autosaveClock = clock
    return context
  }

  @Test("autosave is on in the main context and off in others", arguments: Engine.allCases)
  func defaults(_ engine: Engine) throws {
    let store = try TestStore(engine)
    #expect(store.container.mainContext.autosaveEnabled)
    #expect(!store.context().autosaveEnabled)
  }

  @Test("autosave saves the main context half a second after a change", arguments: Engine.allCases)
  func mainContext(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = mainContext(of: store)
    context.insert(Book("Emma"))
    await clock.advance(by: delay - .milliseconds(1))
    #expect(context.hasChanges)
    await clock.advance(by: .milliseconds(1))
    #expect(try store.storedTitles() == ["Emma"])
    #expect(!context.hasChanges)
  }

  @Test("autosave uses the system's clock by default", arguments: Engine.allCases)
  func systemClock(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = store.container.mainContext
    let (saves, continuation) = AsyncStream.makeStream(of: Bool.self)
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      _ in continuation.yield(true)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Book("Emma"))
    for await _ in saves { break }
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a burst of changes is saved once, half a second after the first", arguments: Engine.allCases)
  func bursts(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = mainContext(of: store)
    let saves = Log<Bool>()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      _ in saves.add(true)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    for number in 0..<5 {
      context.insert(Book("\(number)"))
      await clock.advance(by: .milliseconds(100))
    }
    #expect(saves.entries.count == 1)
    try context.save()
    await clock.advance(by: .seconds(60))
    context.insert(Book("5"))
    try context.save()
    context.insert(Book("6"))
    #expect(clock.callCount == 1)
    await clock.advance(by: delay)
    #expect(try store.storedTitles().count == 7)
    #expect(saves.entries.count == 3)
  }

  @Test("autosave saves edits and deletions too", arguments: Engine.allCases)
  func editsAndDeletes(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("edited", "deleted")
    let context = mainContext(of: store)
    let edited = try context.book("edited")
    edited.title = "new"
    await clock.advance(by: delay)
    #expect(try store.storedTitles() == ["deleted", "new"])
    context.delete(try context.book("deleted"))
    await clock.advance(by: delay)
    #expect(try store.storedTitles() == ["new"])
  }

  @Test("autosave does not save during synchronous code", arguments: Engine.allCases)
  func middle(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = mainContext(of: store)
    context.insert(Book("Emma"))
    clock.pass(.seconds(60))
    #expect(try store.storedTitles() == [])
    context.rollback()
  }

  @Test("nothing is saved while autosave is off", arguments: Engine.allCases)
  func off(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let main = mainContext(of: store)
    main.autosaveEnabled = false
    main.insert(Book("Emma"))
    let manual = store.context()
    manual.autosaveClock = clock
    manual.insert(Book("Ulysses"))
    await clock.advance(by: .seconds(60))
    #expect(try store.storedTitles() == [])
    #expect(main.hasChanges)
    #expect(manual.hasChanges)
  }

  @Test("pending changes are saved after autosave is turned on", arguments: Engine.allCases)
  func turnedOn(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let main = mainContext(of: store)
    main.autosaveEnabled = false
    main.insert(Book("Emma"))
    main.autosaveEnabled = true
    await clock.advance(by: delay)
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test(
    "pending changes are saved if autosave was off for longer than its delay and is turned on again",
    arguments: Engine.allCases)
  func turnedOffAndOn(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let main = mainContext(of: store)
    main.insert(Book("Emma"))
    main.autosaveEnabled = false
    await clock.advance(by: .seconds(5))
    #expect(try store.storedTitles() == [])
    main.autosaveEnabled = true
    await clock.advance(by: delay)
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("changes that are pending again after a transaction's rollback are saved", arguments: Engine.allCases)
  func undoneTransaction(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("deleted", "inBatch")
    let context = mainContext(of: store)
    let inBatch = "inBatch"
    context.delete(try context.book("deleted"))
    try context.delete(model: Book.self, where: #Predicate { $0.title == inBatch })
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.save()
        throw Failure()
      }
    }
    #expect(try store.storedTitles() == ["deleted", "inBatch"])
    await clock.advance(by: delay)
    #expect(try store.storedTitles() == [])
  }

  @Test("autosave saves a main context that outlives its container", arguments: Engine.allCases)
  func containerGone(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let main = mainContext(of: store)
    store.releaseContainer()
    main.insert(Book("Emma"))
    await clock.advance(by: delay)
    #expect(!main.hasChanges)
    #expect(try ModelContext(main.container).titles() == ["Emma"])
  }

  @Test("a context without an executor saves with its next operation after the delay", arguments: Engine.allCases)
  func nextOperation(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.autosaveClock = clock
    context.autosaveEnabled = true
    context.insert(Book("Emma"))
    await clock.advance(by: .seconds(60))
    #expect(clock.callCount == 0)
    #expect(try store.storedTitles() == [])
    _ = try context.fetchCount(FetchDescriptor<Book>())
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("the changes stay pending if autosave fails", arguments: Engine.allCases)
  func failure(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = mainContext(of: store)
    let note = Note(1, ink: .wet)
    context.insert(note)
    context.insert(Book("Emma"))
    await clock.advance(by: .seconds(1))
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 2)
    #expect(note.ink == .wet)
    #expect(try store.storedTitles() == [])
    context.rollback()
  }

  @Test("autosave tries again after the cause of its failure is removed", arguments: Engine.allCases)
  func secondAttempt(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = mainContext(of: store)
    let note = Note(1, ink: .wet)
    context.insert(note)
    context.insert(Book("Emma"))
    await clock.advance(by: .seconds(1))
    note.ink = .dry("now")
    #expect(try store.storedTitles() == [])
    await clock.advance(by: .seconds(2))
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test(
    "after autosave failed for a long time, it saves new changes without additional delay", arguments: Engine.allCases)
  func retries(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = mainContext(of: store)
    let note = Note(1, ink: .wet)
    context.insert(note)
    await clock.advance(by: .seconds(600))
    #expect(clock.callCount == 1)
    note.ink = .dry("now")
    try context.save()
    context.insert(Book("Emma"))
    await clock.advance(by: delay)
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("after autosave failed, the next insertion makes it try again", arguments: Engine.allCases)
  func nextInsert(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = mainContext(of: store)
    let note = Note(1, ink: .wet)
    context.insert(note)
    await clock.advance(by: delay)
    note.ink = .dry("now")
    clock.pass(.seconds(2))
    context.insert(Book("Emma"))
    #expect(try store.context().fetchCount(FetchDescriptor<Note>()) == 1)
    await clock.advance(by: delay)
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("autosave saves pending changes when the context is released", arguments: Engine.allCases)
  func contextGoes(_ engine: Engine) throws {
    let store = try TestStore(engine)
    do {
      let context = store.context()
      context.autosaveEnabled = true
      context.insert(Book("Emma"))
    }
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("autosave saves pending changes of the main context when the container closes")
  func containerCloses() throws {
    let store = try TestStore(.file)
    store.container.mainContext.insert(Book("Emma"))
    try store.reopen()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a context without autosave discards pending changes when it is released", arguments: Engine.allCases)
  func manualContextGoes(_ engine: Engine) throws {
    let store = try TestStore(engine)
    do {
      let context = store.context()
      context.insert(Book("Emma"))
    }
    #expect(try store.storedTitles() == [])
  }
}

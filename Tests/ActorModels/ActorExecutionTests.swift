import SwiftData
import Testing

@Suite("Executors of models that are actors")
struct ActorExecutionTests {
  @Test("after the insertion, the jobs of a model run on the executor of its context", arguments: Engine.allCases)
  func afterInsertion(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    let note = Note("note")
    #expect(await !note.runs(on: shelf.executor))
    try await shelf.insert([note])
    #expect(await note.runs(on: shelf.executor))
  }

  @Test(
    "a fetched model, or one reached through a relationship, runs on its context's executor from the beginning",
    arguments: Engine.allCases)
  func fetched(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let written = Note("note", author: Author(code: 1, name: "Ada"))
    await written.add(Page(1))
    try await Shelf(store.container).insert([written])
    let shelf = Shelf(store.container)
    let note = try #require(try await shelf.notes().first)
    #expect(await note.runs(on: shelf.executor))
    #expect(await note.author?.runs(on: shelf.executor) == true)
    #expect(await note.pages.first?.runs(on: shelf.executor) == true)
  }

  @Test("code on the context's actor can use the models synchronously with assumeIsolated", arguments: Engine.allCases)
  func assumption(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    let note = Note("note")
    try await shelf.insert([note])
    await shelf.perform { _ in
      note.preconditionIsolated()
      note.assumeIsolated { $0.stars = 5 }
    }
    #expect(await note.stars == 5)
  }

  @Test("before the insertion, new models share an executor, which runs one job at a time, off the main thread")
  func beforeInsertion() async {
    let notes = (0..<20).map { Note("\($0)") }
    let page = Page(0)
    await withTaskGroup { group in
      for _ in 0..<5 {
        for note in notes { group.addTask { await note.addStar() } }
      }
    }
    for note in notes { #expect(await note.stars == 5) }
    #expect(await !notes[0].runsOnMainThread())
    #expect(await notes[0].mayUse(page))
  }

  @Test("a model of the main context runs on the main thread", arguments: Engine.allCases)
  @MainActor func main(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let note = Note("note")
    store.container.mainContext.insert(note)
    try store.container.mainContext.save()
    #expect(await note.runsOnMainThread())
    #expect(assumedBody(of: note) == "note")
    let found = try #require(try store.container.mainContext.fetch(FetchDescriptor<Note>()).first)
    #expect(found === note)
  }

  @MainActor private func assumedBody(of note: Note) -> String { note.assumeIsolated { $0.body } }

  @Test(
    "jobs that wait for a model while it is inserted run on the executor of its context", arguments: Engine.allCases)
  func waitingJobs(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    for _ in 0..<20 {
      let note = Note("note")
      let seen = Log<Bool>()
      await withTaskGroup { group in
        for _ in 0..<10 {
          group.addTask {
            let isThere = await note.star(on: shelf.executor)
            seen.add(isThere)
          }
        }
        group.addTask { await shelf.perform { $0.insert(note) } }
      }
      // Every job ran, before or after the insertion, and no job ran at the same time as code of the context.
      #expect(seen.entries.count == 10)
      #expect(await note.stars == 10)
      #expect(await note.runs(on: shelf.executor))
    }
    try await shelf.save()
    #expect(try await Shelf(store.container).notes().count == 20)
  }

  @Test("an insertion waits until the job that runs in the model has ended")
  func interruption() async throws {
    let store = try TestStore(.memory, noteModels)
    let shelf = Shelf(store.container)
    let note = Note("note")
    let (begun, asked) = (Flag(), DispatchSemaphore(value: 0))
    async let slow: Void = note.work(begun, until: asked)
    #expect(await eventually { begun.isRaised })
    let stars = await shelf.perform { context in
      asked.signal()
      context.insert(note)
      return note.assumeIsolated { $0.stars }
    }
    #expect(stars == 1)
    await slow
  }

  @Test("changes that many tasks make while the context saves are all saved", arguments: Engine.allCases)
  func concurrentChanges(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    let notes = (0..<10).map { Note("\($0)") }
    try await shelf.insert(notes)
    try await withThrowingTaskGroup { group in
      for note in notes {
        group.addTask { for _ in 0..<50 { await note.addStar() } }
      }
      group.addTask { for _ in 0..<20 { try await shelf.save() } }
      try await group.waitForAll()
    }
    try await shelf.save()
    let saved = try await Shelf(store.container).perform { context in
      try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0._stars == 50 }))
    }
    #expect(saved == 10)
  }

  @Test(
    "inserting an actor into a context without an executor throws an error that names the remedy",
    arguments: Engine.allCases)
  func withoutExecutor(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let note = Note("note")
    let error = #expect(throws: SwiftDataError.executorMissing) {
      let context = store.context()
      context.insert(note)
      try context.save()
    }
    #expect(error.map { "\($0)".contains("DefaultSerialModelExecutor") } == true)
    #expect(throws: SwiftDataError.executorMissing) { try store.context().fetch(FetchDescriptor<Note>()) }
    #expect(try store.context().fetchCount(FetchDescriptor<Note>()) == 0)
    try await Shelf(store.container).insert([note])
    #expect(throws: SwiftDataError.executorMissing) {
      let _: Note = try store.context().existingModel(for: note.persistentModelID)
    }
    #expect(await note.body == "note")
  }

  @Test("a model stays readable after the release of its context and its executor", arguments: Engine.allCases)
  func outliving(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    var note: Note?
    weak var executor: QueueExecutor?
    do {
      let shelf = Shelf(store.container)
      executor = shelf.executor
      try await shelf.insert([Note("note", author: Author(code: 1, name: "Ada"))])
      note = try await shelf.notes().first
    }
    #expect(await eventually { executor == nil })
    #expect(await note?.body == "note")
    #expect(await note?.author?.name == "Ada")
    await note?.addStar()
    #expect(await note?.stars == 1)
  }

  @Test("unsaved models do not keep their context and its executor alive", arguments: Engine.allCases)
  func noCycle(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    weak var executor: QueueExecutor?
    do {
      let shelf = Shelf(store.container)
      executor = shelf.executor
      await shelf.perform { $0.insert(Note("unsaved")) }
    }
    #expect(await eventually { executor == nil })
  }
}

extension Note {
  fileprivate func runs(on executor: QueueExecutor) -> Bool { executor.isRunningHere }

  fileprivate func runsOnMainThread() -> Bool { MainQueue.isHere }

  fileprivate func mayUse(_ page: Page) -> Bool { page.assumeIsolated { $0.number == 0 } }

  fileprivate func star(on executor: QueueExecutor) -> Bool {
    stars += 1
    return executor.isRunningHere
  }

  fileprivate func work(_ begun: Flag, until asked: DispatchSemaphore) {
    begun.raise()
    // The wait has a deadline: on a machine with two processors, it may block a thread that the inserting code needs.
    _ = asked.wait(timeout: .now() + 1)
    // The test signals `asked` just before it calls `insert`; the pause lets that call begin to wait for this job.
    letTimePass(.milliseconds(50))
    stars += 1
  }
}

extension Author {
  fileprivate func runs(on executor: QueueExecutor) -> Bool { executor.isRunningHere }
}

extension Page {
  fileprivate func runs(on executor: QueueExecutor) -> Bool { executor.isRunningHere }
}

/// Recognises code that runs on the main actor's queue. On Linux, a thread other than the first may run this queue.
private enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isHere: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

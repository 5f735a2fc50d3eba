import Observation
import OpenSwiftData
import Testing

/// An actor that observes the clubs, and logs their names at each notification.
@ModelActor private actor Watcher {
  private var observer: ResultsObserver<Club, Never>?
  let heard = Log<[String]>()

  func observe() throws {
    let observer = try ResultsObserver<Club, Never>(sortBy: [SortDescriptor(\.name)], modelContext: modelContext)
    self.observer = observer
    track(observer)
  }

  private func track(_ observer: ResultsObserver<Club, Never>) {
    let heard = heard
    withObservationTracking {
      heard.add(observer.names)
    } onChange: { [weak self] in
      // The observer updates its results only after this closure has returned, so the task reads them later.
      Task { await self?.trackAgain() }
    }
  }

  private func trackAgain() { if let observer { track(observer) } }

  func stop() { observer = nil }
  var isWatched: Bool { modelContext.watch != nil }

  func add(_ name: String) {
    modelContext.insert(Club(name))
  }
}

@Suite("Observers that notify on the executor of their context", .serialized, .timeLimit(.minutes(10)))
struct IsolatedObserverTests {
  @Test("an observer in a model actor notifies without being read", arguments: Engine.allCases)
  func modelActor(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let watcher = Watcher(modelContainer: store.container)
    try await watcher.observe()
    let database = ModelDatabase(modelContainer: store.container)
    try await database.insert { Club("Bari") }
    #expect(await eventually { watcher.heard.entries.last == ["Ajax", "Bari"] })
    await watcher.add("Como")
    #expect(await eventually { watcher.heard.entries.last == ["Ajax", "Bari", "Como"] })
    let count = watcher.heard.entries.count
    try await database.insert { Footballer("Best") }
    try await database.update(where: nil) { (club: Club) in club.notes = "other" }
    try await database.insert { Club("Derby") }
    #expect(await eventually { watcher.heard.entries.last?.last == "Derby" })
    #expect(watcher.heard.entries.count == count + 1)
  }

  @MainActor
  @Test("an observer on the main actor notifies once for several changes in a row", arguments: Engine.allCases)
  func mainContext(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let context = store.container.mainContext
    context.autosaveEnabled = false
    let observer = try ResultsObserver<Club, Never>(sortBy: [SortDescriptor(\.name)], modelContext: context)
    let flag = changeFlag { _ = observer.results }
    for number in 0..<10 { context.insert(Club("Z\(number)")) }
    // No notification is sent while the synchronous code that makes the changes is running.
    #expect(!flag.isRaised)
    #expect(await eventually { flag.isRaised })
    #expect(observer.results.count == 11)
    let second = changeFlag { _ = observer.results }
    try context.club("Z3").name = "A"
    #expect(await eventually { second.isRaised })
    #expect(observer.results.first?.name == "A")
    // Saving does not change the results, so the observer sends no notification.
    let third = changeFlag { _ = observer.results }
    try context.save()
    for _ in 0..<20 { await Task.yield() }
    #expect(!third.isRaised)
  }

  @MainActor
  @Test("an observer that creates its own context from a container sends notifications", arguments: Engine.allCases)
  func ownContext(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let observer = try ResultsObserver<Club, Never>(modelContainer: store.container)
    let flag = changeFlag { _ = observer.results }
    let database = ModelDatabase(modelContainer: store.container)
    try await database.insert { Club("Bari") }
    #expect(await eventually { flag.isRaised })
    #expect(observer.results.count == 2)
    let second = changeFlag { _ = observer.results }
    observer.modelContext.insert(Club("Como"))
    // This read updates the results and notifies, so no notification remains for the end of the turn.
    #expect(observer.results.count == 3)
    #expect(second.isRaised)
    let third = changeFlag { _ = observer.results }
    for _ in 0..<20 { await Task.yield() }
    #expect(!third.isRaised)
  }

  @MainActor
  @Test("a program may save while the observer notifies it", arguments: Engine.allCases)
  func saving(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let context = store.container.mainContext
    context.autosaveEnabled = false
    let observer = try ResultsObserver<Club, Never>(sortBy: [SortDescriptor(\.name)], modelContext: context)
    let saver = Saver(observer)
    saver.track()
    let database = ModelDatabase(modelContainer: store.container)
    try await database.insert { Club("Bari") }
    #expect(await eventually { saver.saves.value == 3 })
    #expect(await eventually { observer.names == ["Ajax", "Bari", "S0", "S1", "S2"] })
    #expect(try store.context().fetchCount(FetchDescriptor<Club>()) == 5)
  }

  @MainActor
  @Test("an autosave makes the observer notify if its query ignores unsaved changes", arguments: Engine.allCases)
  func autosave(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let context = store.container.mainContext
    let clock = ManualClock()
    context.autosaveClock = clock
    let observer = try ResultsObserver<Club, Never>(
      fetchDescriptor: Self.saved, modelContext: context)
    context.insert(Club("Bari"))
    #expect(observer.names == ["Ajax"])
    let flag = changeFlag { _ = observer.results }
    await clock.advance(by: .seconds(1))
    #expect(await eventually { flag.isRaised })
    #expect(observer.names == ["Ajax", "Bari"])
  }

  @MainActor
  @Test("an observer's query does not run again when actors insert models of another entity", arguments: Engine.sqlite)
  func otherEntity(_ engine: Engine) async throws {
    let store = try CountedStore(engine, "Ajax")
    let observer = try ResultsObserver<Club, Never>(
      filterBy: #Predicate { $0.rank >= 0 }, modelContext: store.container.mainContext)
    #expect(observer.results.count == 1)
    store.recorder.clear()
    let container = store.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let database = ModelDatabase(modelContainer: container)
          for _ in 0..<10 { try await database.insert { Footballer("\(number)") } }
        }
      }
      try await group.waitForAll()
    }
    for _ in 0..<20 { await Task.yield() }
    #expect(store.reads() == 0)
    #expect(!store.container.mainContext.inbox.hasNews)
    #expect(observer.results.count == 1)
    #expect(store.reads() == 0)
  }

  @Test("an observer ends when its last reference is released, on any thread", arguments: Engine.allCases)
  func released(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let watchers = try #require(store.container.stores.stores.first).watchers
    let watcher = Watcher(modelContainer: store.container)
    try await watcher.observe()
    #expect(!watchers.isEmpty)
    await watcher.stop()
    #expect(watchers.isEmpty)
    await watcher.add("Bari")
    #expect(await eventually { await !watcher.isWatched })
  }

  private static var saved: FetchDescriptor<Club> {
    var descriptor = FetchDescriptor<Club>(sortBy: [SortDescriptor(\.name)])
    descriptor.includePendingChanges = false
    return descriptor
  }
}

/// Inserts and saves one more club at each of the first three notifications.
@MainActor private final class Saver {
  let saves = Tally()
  private let observer: ResultsObserver<Club, Never>

  init(_ observer: ResultsObserver<Club, Never>) { self.observer = observer }

  func track() {
    withObservationTracking {
      _ = observer.results
    } onChange: {
      MainActor.assumeIsolated { self.save() }
    }
  }

  private func save() {
    guard saves.value < 3 else { return }
    observer.modelContext.insert(Club("S\(saves.value)"))
    saves.increment()
    do {
      try observer.modelContext.save()
    } catch {
      Issue.record(error)
    }
    track()
  }
}

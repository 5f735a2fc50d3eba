import OpenSwiftData
import Testing

/// These tests use two containers on the same file. They share nothing, so they behave like two processes.
@Suite("Live queries and commits of other processes", .serialized, .timeLimit(.minutes(10)))
struct OtherProcessTests {
  private static let byName = FetchDescriptor<Club>(sortBy: [SortDescriptor(\.name)])

  /// Saves clubs in the other container. Each save waits until the observer has received the previous club.
  ///
  /// How long this takes depends on the load of the machine; decision 68 has measurements.
  private func save(
    _ names: [String], to foreign: ModelContainer, until isHeard: @Sendable (String) async -> Bool
  ) async throws {
    let context = ModelContext(foreign)
    for name in names {
      context.insert(Club(name))
      try context.save()
      try #require(await eventually { await isHeard(name) }, "\(name) is not heard of")
    }
  }

  @Test(
    "a commit of another process updates a sequence, whether or not the own process has saved before",
    arguments: [false, true])
  func sequence(saves: Bool) async throws {
    let store = try CountedStore(.file, "Ajax")
    let foreign = try store.foreignContainer()
    let (listener, writer) = saves ? (store.container, foreign) : (foreign, store.container)
    let database = ModelDatabase(modelContainer: listener)
    let seen = Log<[String]>()
    let task = Task { for try await clubs in database.values(of: Self.byName) { seen.add(clubs.map(\.name)) } }
    #expect(await eventually { seen.entries.count == 1 })
    try await save((0..<10).map { "B\($0)" }, to: writer) { seen.entries.last?.contains($0) == true }
    task.cancel()
    try await task.value
  }

  @MainActor
  @Test("a commit of another process updates an observer")
  func observer() async throws {
    let store = try CountedStore(.file, "Ajax")
    let foreign = try store.foreignContainer()
    let observer = try ResultsObserver<Club, Never>(
      sortBy: [SortDescriptor(\.name)], modelContext: store.container.mainContext)
    try await save((0..<10).map { "B\($0)" }, to: foreign) { @MainActor name in observer.names.contains(name) }
    #expect(observer.names.count == 11)
  }

  @Test("a sequence of changes reports a commit of another process as incomplete, because the models are unknown")
  func changes() async throws {
    let store = try CountedStore(.file, "Ajax")
    let foreign = try store.foreignContainer()
    var changes = store.container.changes(of: Club.self).makeAsyncIterator()
    let context = ModelContext(foreign)
    context.insert(Club("Bari"))
    try context.save()
    let first = try #require(try await changes.next())
    #expect(first.areIncomplete && first.inserted.isEmpty)
  }

  @Test("a process looks for commits of other processes only while it has an observer")
  func unobserved() async throws {
    let store = try CountedStore(.file, "Ajax")
    let database = ModelDatabase(modelContainer: store.container)
    let coordinator = try #require(store.container.stores.stores.first)
    #expect(!coordinator.looksForForeignCommits)
    var values: LiveResults<[Club.Value]>.AsyncIterator? = database.values(of: Self.byName).makeAsyncIterator()
    _ = try await values?.next()
    #expect(coordinator.looksForForeignCommits)
    values = nil
    #expect(await eventually { !coordinator.looksForForeignCommits })
    // A new sequence makes the container look for commits of other processes again.
    values = database.values(of: Self.byName).makeAsyncIterator()
    _ = try await values?.next()
    let foreign = ModelContext(try store.foreignContainer())
    foreign.insert(Club("Bari"))
    try foreign.save()
    #expect(try await values?.next()?.count == 2)
  }

  /// A watcher that stays registered when its store is closed.
  private final class Stayer: ChangeWatcher {
    let footprint = Footprint.everything
    let wantsKeys = false
    func receive(_ changes: CommittedChanges) {}
    func close() {}
  }

  @Test("a closed store does not look for commits of other processes, even if a watcher is still registered")
  func closed() async throws {
    let store = try CountedStore(.file, "Ajax")
    let coordinator = try #require(store.container.stores.stores.first)
    let stayer = Stayer()
    coordinator.add(stayer)
    #expect(coordinator.looksForForeignCommits)
    try await store.container.close()
    #expect(await eventually { !coordinator.looksForForeignCommits })
    #expect(!coordinator.watchers.isEmpty)
    coordinator.remove(stayer)
  }

  @Test("if the server reports the rows of another process's commit, the commit updates the observers' results")
  func remoteRows() async throws {
    let store = try TestStore.clubs(.remote, "Ajax")
    let watching = store.context()
    let observer = try ResultsObserver<Club, Never>(sortBy: [SortDescriptor(\.name)], modelContext: watching)
    let footballers = try ResultsObserver<Footballer, Never>(modelContext: watching)
    #expect(footballers.results.isEmpty)
    let foreign = try store.foreignContext()
    let bari = Club("Bari")
    foreign.insert(bari)
    try foreign.save()
    let entity = try #require(store.container.stores.layout(of: Club.self)).1
    let key = try #require(bari.persistentModelID.row?.key)
    store.link.noteForeignCommit([ForeignRows(of: entity, inserted: [key])])
    #expect(await eventually { observer.names == ["Ajax", "Bari"] })
  }
}

import Observation
import OpenSwiftData
import Testing

@Suite("Observers that count the transactions in a store's history", .serialized, .timeLimit(.minutes(10)))
struct HistoryObserverTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, clubModels, history: .standard)
    try store.addClubs(["Ajax"])
    return store
  }

  /// Saves a model in a new context that has the given author.
  private func save(_ model: any PersistentModel, as author: String? = nil, to store: TestStore) throws {
    let context = store.context()
    context.author = author
    context.insert(model)
    try context.save()
  }

  @Test("an observer counts every commit after its creation", arguments: Engine.allCases)
  func everything(_ engine: Engine) async throws {
    let store = try store(engine)
    let observer = try HistoryObserver(modelContainer: store.container)
    #expect(observer.eventCounter == 0)
    for number in 1...3 {
      let flag = changeFlag { _ = observer.eventCounter }
      try save(Footballer("\(number)"), to: store)
      #expect(await eventually { observer.eventCounter == number })
      #expect(flag.isRaised)
    }
    #expect(observer.observedModels.isEmpty && observer.authors.isEmpty && observer.modelContainer == store.container)
  }

  @Test(
    "an observer counts only commits that change its models and have one of its authors", arguments: Engine.allCases)
  func filtered(_ engine: Engine) async throws {
    let store = try store(engine)
    let clubs = try HistoryObserver(observedModels: [Club.self], modelContainer: store.container)
    let mine = try HistoryObserver(authors: ["me", "you"], modelContainer: store.container)
    let both = try HistoryObserver(observedModels: [Club.self], authors: ["me"], modelContainer: store.container)
    try save(Footballer("Best"), as: "me", to: store)
    #expect(await eventually { mine.eventCounter == 1 })
    try save(Club("Bari"), as: "you", to: store)
    #expect(await eventually { clubs.eventCounter == 1 && mine.eventCounter == 2 })
    try save(Club("Como"), to: store)
    #expect(await eventually { clubs.eventCounter == 2 })
    try save(Club("Derby"), as: "me", to: store)
    #expect(await eventually { clubs.eventCounter == 3 && mine.eventCounter == 3 && both.eventCounter == 1 })
  }

  @Test(
    "an observer counts commits of changes and deletions, including deletions by delete rules",
    arguments: Engine.allCases)
  func deletions(_ engine: Engine) async throws {
    let store = try store(engine)
    let context = store.context()
    let ajax = try context.club("Ajax")
    context.insert(Footballer("Best", club: ajax))
    try context.save()
    let observer = try HistoryObserver(observedModels: [Footballer.self], modelContainer: store.container)
    let best = try #require(try context.fetch(FetchDescriptor<Footballer>()).first)
    best.goals = 3
    try context.save()
    #expect(await eventually { observer.eventCounter == 1 })
    try context.delete(model: Club.self, where: #Predicate { $0.name == "Ajax" })
    try context.save()
    #expect(await eventually { observer.eventCounter == 2 })
  }

  @Test("an observer with a token counts only the transactions after the token", arguments: Engine.allCases)
  func tokens(_ engine: Engine) async throws {
    let store = try store(engine)
    try save(Club("Bari"), to: store)
    let context = store.context()
    let transactions = try context.fetchHistory(Descriptor())
    #expect(transactions.count == 2)
    func observer(_ token: (any HistoryToken)?) throws -> HistoryObserver {
      let tokens = token.map { [transactions[0].storeIdentifier: $0] } ?? [:]
      return try HistoryObserver(historyTokens: tokens, modelContainer: store.container)
    }
    // All transactions between the token and the creation of the observer are counted as one event.
    let (first, last, none) = (
      try observer(transactions[0].token), try observer(transactions[1].token), try observer(nil)
    )
    #expect(await eventually { first.eventCounter == 1 && none.eventCounter == 1 })
    try save(Club("Como"), to: store)
    #expect(await eventually { first.eventCounter == 2 && none.eventCounter == 2 && last.eventCounter == 1 })
  }

  @Test(
    "an observer whose token contains several stores starts after the token's position in each of them",
    arguments: Engine.sqlite)
  func tokenOfSeveralStores(_ engine: Engine) async throws {
    let stores = try TwoStores(engine)
    let context = ModelContext(stores.container)
    for model in [Club("Ajax"), Stranger(name: "Smith")] as [any PersistentModel] {
      context.insert(model)
      try context.save()
    }
    let last = try #require(try context.fetchHistory(Descriptor()).last)
    #expect(last.token.tokenValue?.count == 2)
    func observer(_ tokens: [String: any HistoryToken]) throws -> HistoryObserver {
      try HistoryObserver(historyTokens: tokens, observedModels: [Club.self], modelContainer: stores.container)
    }
    let club = try #require(try context.fetchHistory(Descriptor()).first).storeIdentifier
    let reads = stores.clubs.historyReadCount
    // The store with `Stranger` issued this token, which also contains a position in the store of clubs.
    let behind = try observer([last.storeIdentifier: last.token])
    // If the observer gets a token of the store itself, positions of this store in other tokens are ignored.
    let before = try observer([club: DefaultHistoryToken([:]), last.storeIdentifier: last.token])
    let all = try observer([last.storeIdentifier: DefaultHistoryToken(1, of: last.storeIdentifier)])
    #expect(await eventually { all.eventCounter == 1 && before.eventCounter == 1 })
    // So far, each of the three observers has read its position and the transactions after it: six reads. After the
    // next save, which no observer counts, each observer reads once more: nine reads.
    #expect(await eventually { stores.clubs.historyReadCount >= reads + 6 })
    context.insert(Footballer("Best"))
    try context.save()
    #expect(await eventually { stores.clubs.historyReadCount >= reads + 9 })
    #expect(behind.eventCounter == 0)
    context.insert(Club("Bari"))
    try context.save()
    #expect(await eventually { behind.eventCounter == 1 && before.eventCounter == 2 && all.eventCounter == 2 })
  }

  @Test("an observer in a process that records no history counts the transactions that other processes record")
  func followerWithoutHistory() async throws {
    let store = try store(.file)
    var configuration = store.configuration
    configuration.history = .off
    let follower = try ModelContainer(for: store.schema, configurations: [configuration])
    #expect(try ModelContext(follower).fetchHistory(Descriptor()).count == 1)
    let observer = try HistoryObserver(authors: ["app"], modelContainer: follower)
    try save(Club("Bari"), as: "app", to: store)
    #expect(await eventually { observer.eventCounter == 1 })
    let both = try ModelContext(follower).fetchHistory(Descriptor())
    #expect(both.count == 2)
    let first = try HistoryObserver(
      historyTokens: [both[0].storeIdentifier: both[0].token], modelContainer: follower)
    #expect(await eventually { first.eventCounter == 1 })
  }

  @Test(
    "creating an observer throws for a token whose transactions were deleted, and for a token of another type",
    arguments: Engine.allCases)
  func refused(_ engine: Engine) throws {
    struct OtherToken: HistoryToken {
      let tokenValue: Int?
      var id: Int { tokenValue ?? 0 }
      static func < (lhs: OtherToken, rhs: OtherToken) -> Bool { lhs.id < rhs.id }
    }
    let store = try store(engine)
    for name in ["Bari", "Como"] { try save(Club(name), to: store) }
    let context = store.context()
    let transactions = try context.fetchHistory(Descriptor())
    let (identifier, token) = (transactions[0].storeIdentifier, transactions[0].token)
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= token }))
    let second = transactions[1].token
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= second }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(historyTokens: [identifier: token], modelContainer: store.container)
    }
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try HistoryObserver(historyTokens: [identifier: OtherToken(tokenValue: 1)], modelContainer: store.container)
    }
    #expect(throws: SwiftDataError.unknownSchema) {
      try HistoryObserver(observedModels: [Stranger.self], modelContainer: store.container)
    }
    let silent = try TestStore(engine, clubModels, history: .off)
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try silent.context().fetchHistory(Descriptor())
    }
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try HistoryObserver(modelContainer: silent.container)
    }
    // The observers whose creation threw have left no watcher.
    for store in [store, silent] {
      #expect(store.container.stores.stores.allSatisfy { $0.watchers.isEmpty })
    }
  }

  @Test("an observer counts an event if transactions are deleted before it has read them", arguments: Engine.allCases)
  func expired(_ engine: Engine) async throws {
    let store = try store(engine)
    let observer = try HistoryObserver(observedModels: [Patron.self], modelContainer: store.container)
    let context = store.context()
    // Both saves are in one transaction, so that the observer cannot read the history between them.
    try context.transaction {
      context.insert(Club("Bari"))
      try context.save()
      try context.deleteHistory(Descriptor())
    }
    try save(Club("Como"), to: store)
    #expect(await eventually { observer.eventCounter > 0 })
  }

  @Test("an observer counts commits of other processes, including one after a gap because of an unrecorded write")
  func otherProcess() async throws {
    let store = try store(.file)
    let observer = try HistoryObserver(
      observedModels: [Patron.self], authors: ["other"], modelContainer: store.container)
    let foreign = ModelContext(try ModelContainer(for: store.schema, configurations: [store.configuration]))
    foreign.author = "other"
    foreign.insert(Club("Bari"))
    try foreign.save()
    foreign.insert(Patron("Rich"))
    try foreign.save()
    #expect(await eventually { observer.eventCounter == 1 })
    try RawDatabase(store.configuration.url.path).run("UPDATE Patron SET budget = 7")
    foreign.insert(Club("Como"))
    try foreign.save()
    #expect(await eventually { observer.eventCounter == 2 })
  }

  @MainActor
  @Test("an observer notifies on the actor on which it was created", arguments: Engine.allCases)
  func isolation(_ engine: Engine) async throws {
    let store = try store(engine)
    let observer = try HistoryObserver(modelContainer: store.container)
    let heard = Log<Int>()
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      MainActor.assumeIsolated { heard.add(1) }
    }
    let database = ModelDatabase(modelContainer: store.container)
    try await database.insert { Club("Bari") }
    #expect(await eventually { heard.entries == [1] })
  }

  @Test("an observer stops when its last reference is released or its container is closed", arguments: Engine.allCases)
  func released(_ engine: Engine) async throws {
    let store = try store(engine)
    let watchers = try #require(store.container.stores.stores.first).watchers
    var observer: HistoryObserver? = try HistoryObserver(modelContainer: store.container)
    #expect(!watchers.isEmpty)
    withExtendedLifetime(observer) {}
    observer = nil
    #expect(await eventually { watchers.isEmpty })
    observer = try HistoryObserver(modelContainer: store.container)
    try await store.container.close()
    #expect(observer?.eventCounter == 0)
  }

  @Test("an observer stops when the actor that refers to it is released", arguments: Engine.allCases)
  func heldByActor(_ engine: Engine) async throws {
    let store = try store(engine)
    let watchers = try #require(store.container.stores.stores.first).watchers
    var holder: Holder? = Holder()
    try await holder?.observe(store.container)
    #expect(!watchers.isEmpty)
    try save(Club("Bari"), to: store)
    #expect(await eventually { await holder?.observer?.eventCounter == 1 })
    holder = nil
    #expect(await eventually { watchers.isEmpty })
  }

  @Test("an observer counts a history record that another program has damaged, and the records after it")
  func damagedRecord() async throws {
    let store = try store(.file)
    let observer = try HistoryObserver(observedModels: [Patron.self], modelContainer: store.container)
    try save(Club("Bari"), to: store)
    try RawDatabase(store.configuration.url.path).run("UPDATE _osd_history SET changes = 'none'")
    try save(Club("Como"), to: store)
    #expect(await eventually { observer.eventCounter > 0 })
    let known = observer.eventCounter
    try save(Patron("Rich"), to: store)
    #expect(await eventually { observer.eventCounter > known })
  }

  @Test("an observer counts a damaged record, and a record after a gap, because it cannot know their authors")
  func unknownAuthors() async throws {
    let store = try store(.file)
    try RawDatabase(store.configuration.url.path).run("UPDATE _osd_history SET changes = 'none'")
    let damaged = try HistoryObserver(historyTokens: [:], authors: ["me"], modelContainer: store.container)
    #expect(await eventually { damaged.eventCounter == 1 })
    try save(Club("Bari"), as: "you", to: store)
    let gap = try HistoryObserver(authors: ["me"], modelContainer: store.container)
    try save(Club("Como"), as: "you", to: store)
    try RawDatabase(store.configuration.url.path).run("UPDATE Club SET rank = 7")
    try save(Club("Derby"), as: "you", to: store)
    #expect(
      try store.context().fetchHistory(Descriptor(predicate: #Predicate { $0.author == "you" })).last?.followsGap
        == true)
    #expect(await eventually { gap.eventCounter == 1 })
  }

  @Test("an observer repeats a failed read even if no further commit follows")
  func failedRead() async throws {
    struct Disturbance: Error {}
    let store = try store(.remote)
    let reads = store.link.historyReadCount
    let observer = try HistoryObserver(modelContainer: store.container)
    // The observer has read its position and the transactions after it. If one of these reads were still running, it
    // would already return the save below.
    #expect(await eventually { store.link.historyReadCount >= reads + 2 })
    let failures = Tally()
    for _ in 0..<3 {
      store.link.before(.history) {
        failures.increment()
        throw Disturbance()
      }
    }
    let foreign = try store.foreignContext()
    foreign.insert(Club("Bari"))
    try foreign.save()
    store.link.noteForeignCommit(nil)
    #expect(await eventually { observer.eventCounter == 1 })
    #expect(failures.value == 3)
  }

  @Test("an observer reads earlier transactions in batches")
  func portions() async throws {
    let store = try store(.remote)
    let context = store.context()
    for number in 0..<600 {
      context.author = number == 599 ? "last" : "other"
      context.insert(Club("\(number)"))
      try context.save()
    }
    let observer = try HistoryObserver(historyTokens: [:], authors: ["last"], modelContainer: store.container)
    let none = try HistoryObserver(historyTokens: [:], authors: ["none"], modelContainer: store.container)
    #expect(await eventually { observer.eventCounter == 1 })
    #expect((1...256).contains(store.link.longestHistory))
    context.author = "none"
    context.insert(Club("none"))
    try context.save()
    #expect(await eventually { none.eventCounter == 1 })
    #expect(observer.eventCounter == 1)
    #expect((1...256).contains(store.link.longestHistory))
  }

  @Test("an observer misses no commit if several threads save at the same time", arguments: Engine.sqlite)
  func concurrent(_ engine: Engine) async throws {
    let store = try store(engine)
    let observer = try HistoryObserver(observedModels: [Footballer.self], modelContainer: store.container)
    let container = store.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let database = ModelDatabase(modelContainer: container)
          for _ in 0..<5 { try await database.insert { Footballer("\(number)") } }
        }
      }
      for _ in 0..<100 {
        group.addTask { _ = observer.eventCounter }
      }
      try await group.waitForAll()
    }
    #expect(await eventually { (1...40).contains(observer.eventCounter) })
    // All earlier saves have been counted, so the counter grows only because of the next save.
    let known = observer.eventCounter
    try save(Footballer("last"), to: store)
    #expect(await eventually { observer.eventCounter > known })
  }
}

/// An actor that refers to an observer. The observer notifies on this actor.
private actor Holder {
  private(set) var observer: HistoryObserver?

  func observe(_ container: ModelContainer) throws { observer = try HistoryObserver(modelContainer: container) }
}

/// A container with two stores: one for clubs and one for `Stranger`. Both record a history, and a test connection
/// counts the reads of each history.
private final class TwoStores {
  let container: ModelContainer
  /// The test connection of the store for clubs.
  let clubs: RemoteLink
  private let folder: URL

  init(_ engine: Engine) throws {
    let folder = try TestStore.makeFolder()
    self.folder = folder
    let configurations = [("clubs", clubModels), ("strangers", [Stranger.self])].map { name, models in
      let schema = Schema(models)
      var configuration =
        engine == .file
        ? ModelConfiguration(name, schema: schema, url: folder.appending(path: "\(name).store"))
        : ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
      configuration.history = .standard
      return configuration
    }
    let link = RemoteLink()
    clubs = link
    container = try ModelContainer(
      for: Schema(clubModels + [Stranger.self]),
      engines: configurations.map { RemoteConfiguration($0, link: $0.name == "clubs" ? link : RemoteLink()) })
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

import OpenSwiftData
import Testing

@Suite("When an observer's query runs again")
struct RerunTests {
  /// An observer of the clubs with a rank below 100, sorted by name, and another context that saves changes.
  private struct Scene {
    let store: CountedStore
    let observer: ResultsObserver<Club, Never>
    let other: ModelContext

    init(_ engine: Engine) throws {
      store = try CountedStore(engine, "Ajax", "Bari", "Como")
      observer = try ResultsObserver(
        filterBy: #Predicate { $0.rank < 100 }, sortBy: [SortDescriptor(\.name)],
        modelContext: ModelContext(store.container))
      other = ModelContext(store.container)
      _ = observer.names
    }

    /// Runs a block, and counts the queries that the observer executes when its results are read afterwards.
    func reruns(_ body: () throws -> Void) throws -> Int {
      try body()
      return store.runs { _ = observer.results.count }
    }
  }

  @Test(
    "the query runs again after a commit that affects its results, and not after other commits",
    arguments: Engine.sqlite)
  func commits(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let other = scene.other
    let ajax = try other.club("Ajax")
    #expect(try scene.reruns {} == 0)
    // This commit changes a property that the query does not use, and inserts a model of another entity.
    #expect(
      try scene.reruns {
        ajax.notes = "new"
        other.insert(Footballer("Best"))
        try other.save()
      } == 0)
    #expect(try scene.reruns { try other.save() } == 0)
    ajax.rank = 7
    #expect(try scene.reruns {} == 0)
    #expect(try scene.reruns { try other.save() } == 1)
    #expect(try scene.reruns {} == 0)
    #expect(
      try scene.reruns {
        other.insert(Club("Derby"))
        try other.save()
      } == 1)
    #expect(
      try scene.reruns {
        other.delete(ajax)
        try other.save()
      } == 1)
    // Several commits before a read cause one query.
    #expect(
      try scene.reruns {
        for number in 0..<20 {
          other.insert(Club("\(number)"))
          try other.save()
        }
      } == 1)
  }

  @Test(
    "the query runs again after an unsaved change that affects its results, and not after other unsaved changes",
    arguments: Engine.sqlite)
  func unsaved(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let context = scene.observer.modelContext
    let ajax = try context.club("Ajax")
    #expect(
      try scene.reruns {
        ajax.notes = "new"
        ajax.city = "Amsterdam"
        context.insert(Footballer("Best"))
        ajax.footballers.append(Footballer("Cruyff"))
      } == 0)
    #expect(try scene.reruns { ajax.rank = 5 } == 1)
    #expect(try scene.reruns {} == 0)
    #expect(try scene.reruns { context.insert(Club("Derby")) } == 1)
  }

  @Test(
    "if the context has no unsaved changes, the query fetches only keys, and then only the objects it does not have",
    arguments: Engine.sqlite)
  func keys(_ engine: Engine) throws {
    let scene = try Scene(engine)
    scene.other.insert(Club("Derby"))
    try scene.other.save()
    #expect(try scene.reruns {} == 1)
    let statement = try #require(scene.store.recorder.statements.last)
    #expect(!statement.contains("\"notes\""))
    // The context already has the other clubs, so only the new club is fetched.
    scene.store.recorder.clear()
    #expect(scene.observer.names == ["Ajax", "Bari", "Como", "Derby"])
    #expect(scene.store.reads() == 1)
    #expect(scene.store.reads { _ = scene.observer.names } == 0)
  }

  @Test("the observer does not notify if the query returns the same results again", arguments: Engine.sqlite)
  func differences(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let flag = changeFlag { _ = scene.observer.results }
    let ajax = try scene.other.club("Ajax")
    ajax.rank = 50
    try scene.other.save()
    #expect(try scene.reruns {} == 1)
    #expect(!flag.isRaised)
    ajax.rank = 500
    try scene.other.save()
    #expect(try scene.reruns {} == 1)
    #expect(flag.isRaised)
    // The save gives the inserted model a permanent identifier, but it stays the same object, so the results are equal.
    let context = scene.observer.modelContext
    context.insert(Club("Derby"))
    #expect(scene.observer.names == ["Bari", "Como", "Derby"])
    let saved = changeFlag { _ = scene.observer.results }
    try context.save()
    #expect(scene.observer.names == ["Bari", "Como", "Derby"])
    #expect(!saved.isRaised)
  }

  @Test("the query runs again after changes of related entities that its predicate uses", arguments: Engine.sqlite)
  func related(_ engine: Engine) throws {
    let store = try CountedStore(engine, "Ajax", "Bari")
    let scorers = try ResultsObserver<Club, Never>(
      filterBy: #Predicate { club in club.footballers.contains { $0.goals > 2 } },
      modelContext: ModelContext(store.container))
    let other = ModelContext(store.container)
    let best = Footballer("Best", club: try other.club("Ajax"))
    func reruns(_ body: () throws -> Void) throws -> Int {
      try body()
      try other.save()
      return store.runs { _ = scorers.results.count }
    }
    #expect(try reruns { other.insert(best) } == 1)
    #expect(try reruns { best.name = "George" } == 0)
    #expect(try reruns { best.goals = 1 } == 1)
    #expect(try reruns { best.club = try other.club("Bari") } == 1)
    #expect(try reruns { other.insert(Patron("Bank")) } == 0)
    #expect(try reruns { try other.club("Ajax").rank = 8 } == 0)
    #expect(try reruns { other.delete(best) } == 1)
  }

  @Test("a context records no changes for observers if it has none", arguments: Engine.sqlite)
  func unobserved(_ engine: Engine) throws {
    let store = try CountedStore(engine, "Ajax")
    let context = ModelContext(store.container)
    let watchers = try #require(store.container.stores.stores.first).watchers
    try context.club("Ajax").rank = 3
    #expect(context.watch == nil)
    #expect(watchers.isEmpty)
    do {
      let observer = try ResultsObserver<Club, Never>(modelContext: context)
      #expect(observer.results.count == 1)
      #expect(context.watch != nil)
    }
    #expect(watchers.isEmpty)
    // The context notices the observer's release at its next change.
    context.insert(Club("Bari"))
    #expect(context.watch == nil)
  }
}

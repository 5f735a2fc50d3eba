import OpenSwiftData
import Testing

@Suite("Sequences of query results", .timeLimit(.minutes(10)))
struct SequenceTests {
  private static let byName = FetchDescriptor<Club>(sortBy: [SortDescriptor(\.name)])

  @Test(
    "a sequence begins with the current results, and then returns each different result", arguments: Engine.allCases)
  func values(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let database = ModelDatabase(modelContainer: store.container)
    var values = database.values(of: Self.byName).makeAsyncIterator()
    #expect(try await values.next()?.map(\.name) == ["Ajax"])
    try await database.insert { Club("Bari") }
    #expect(try await values.next()?.map(\.name) == ["Ajax", "Bari"])
    // A change of any property produces a new element.
    try await database.update(where: #Predicate<Club> { $0.name == "Bari" }) { $0.notes = "new" }
    #expect(try await values.next()?.map(\.notes) == ["", "new"])
    // So does a change of the identifier of a related model.
    let best = try await database.insert { Footballer("Best") }
    try await database.transaction { context in
      try context.get(best).club = try context.club("Ajax")
    }
    #expect(try await values.next()?.map(\.footballers) == [[best.persistentIdentifier], []])
    try await database.delete(best)
    #expect(try await values.next()?.map(\.footballers) == [[], []])
    try await database.delete(model: Club.self)
    #expect(try await values.next()?.isEmpty == true)
  }

  @Test(
    "a sequence of references returns an element only if the query returns other models or another order",
    arguments: Engine.sqlite)
  func references(_ engine: Engine) async throws {
    let store = try CountedStore(engine, "Ajax", "Bari")
    let database = ModelDatabase(modelContainer: store.container)
    let sequence = database.references(
      of: FetchDescriptor<Club>(predicate: #Predicate { $0.rank < 10 }, sortBy: [SortDescriptor(\.name)]))
    var references = sequence.makeAsyncIterator()
    let first = try #require(try await references.next())
    #expect(first.count == 2)
    store.recorder.clear()
    try await database.update(first[0]) { $0.notes = "new" }
    try await database.insert { Footballer("Best") }
    let como = try await database.insert { Club("Como", rank: 11) }
    try await database.update(como) { $0.rank = 3 }
    #expect(try await references.next() == first + [como])
    // Two of the commits affect the query. Both occurred before the next element was requested, so the query ran once.
    #expect(store.recorder.statements.count { $0.contains("ORDER BY \"name\"") } == 1)
  }

  @Test("a sequence returns only the latest results to a slow consumer", arguments: Engine.allCases)
  func merging(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let database = ModelDatabase(modelContainer: store.container)
    var values = database.values(of: Self.byName).makeAsyncIterator()
    _ = try await values.next()
    for number in 0..<50 { try await database.insert { Club("B\(number)") } }
    #expect(try await values.next()?.count == 51)
    try await database.insert { Club("C") }
    #expect(try await values.next()?.count == 52)
  }

  @Test("a sequence does not return the same results twice in a row", arguments: Engine.allCases)
  func differences(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let database = ModelDatabase(modelContainer: store.container)
    let seen = Log<[String]>()
    let task = Task {
      for try await clubs in database.values(of: Self.byName) { seen.add(clubs.map(\.name)) }
    }
    #expect(await eventually { seen.entries.count == 1 })
    // This transaction reverts its change before it commits.
    try await database.transaction { context in
      context.insert(Club("Bari"))
      try context.save()
      try context.delete(context.club("Bari"))
    }
    try await database.update(where: nil) { (club: Club) in club.name = "Ajax" }
    try await database.insert { Club("Como") }
    #expect(await eventually { seen.entries.count == 2 })
    #expect(seen.entries == [["Ajax"], ["Ajax", "Como"]])
    task.cancel()
    try await task.value
  }

  @Test("a sequence ends when its task is cancelled, and removes its watcher", arguments: Engine.allCases)
  func cancellation(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let watchers = try #require(store.container.stores.stores.first).watchers
    let database = ModelDatabase(modelContainer: store.container)
    let (begun, container) = (Tally(), store.container)
    let tasks = [
      Task { for try await _ in database.values(of: Self.byName) { begun.increment() } },
      Task { for try await _ in database.references(of: Self.byName) { begun.increment() } },
      Task { for try await _ in container.changes(of: Footballer.self) { begun.increment() } },
    ]
    #expect(await eventually { begun.value == 2 })
    #expect(
      await eventually {
        _ = try? await database.insert { Footballer("Best") }
        return begun.value >= 3
      })
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
    #expect(watchers.isEmpty)
    // If the task is cancelled before the sequence begins, the loop ends at once.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in database.values(of: Self.byName) { Issue.record("a cancelled task reads") }
    }
    try await late.value
    #expect(watchers.isEmpty)
  }

  @Test("a sequence has a watcher only while it is iterated", arguments: Engine.allCases)
  func lifetime(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let watchers = try #require(store.container.stores.stores.first).watchers
    let database = ModelDatabase(modelContainer: store.container)
    let sequence = database.values(of: Self.byName)
    #expect(watchers.isEmpty)
    for try await clubs in sequence {
      #expect(clubs.count == 1)
      #expect(!watchers.isEmpty)
      break
    }
    #expect(watchers.isEmpty)
  }

  @Test(
    "a sequence of results throws, and a sequence of changes ends, when the container is closed",
    arguments: Engine.allCases)
  func closing(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let container = store.container
    let database = ModelDatabase(modelContainer: container)
    let begun = Flag()
    let task = Task {
      for try await _ in database.values(of: Self.byName) { begun.raise() }
    }
    let ending = Task {
      var count = 0
      for try await _ in container.changes(of: Club.self) { count += 1 }
      return count
    }
    #expect(await eventually { begun.isRaised })
    // The second task may begin its loop before or after the container is closed; both must end.
    try await container.close()
    await #expect(throws: SwiftDataError.storeUnreachable) { try await task.value }
    #expect(try await ending.value == 0)
    for try await _ in container.changes(of: Club.self) { Issue.record("a closed container has changes") }
  }

  @Test("a sequence throws for a type that is not in the container's schema", arguments: Engine.sqlite)
  func unknown(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine)
    let database = ModelDatabase(modelContainer: store.container)
    await #expect(throws: SwiftDataError.unknownSchema) {
      for try await _ in database.references(of: FetchDescriptor<Stranger>()) {}
    }
    await #expect(throws: SwiftDataError.unknownSchema) {
      for try await _ in store.container.changes(of: Stranger.self) {}
    }
  }
}

@Suite("Sequences of model changes", .timeLimit(.minutes(10)))
struct ChangeSequenceTests {
  @Test("each element contains the inserted, updated and deleted models of a commit", arguments: Engine.allCases)
  func kinds(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine)
    let database = ModelDatabase(modelContainer: store.container)
    var changes = store.container.changes(of: Club.self).makeAsyncIterator()
    let ajax = try await database.insert { Club("Ajax") }
    #expect(try await changes.next()?.inserted == [ajax])
    try await database.update(ajax) { $0.notes = "new" }
    let update = try #require(try await changes.next())
    #expect(update.updated == [ajax] && update.inserted.isEmpty && update.deleted.isEmpty && !update.areIncomplete)
    try await database.insert { Footballer("Best") }
    try await database.delete(ajax)
    let deletion = try #require(try await changes.next())
    #expect(deletion.deleted == [ajax] && deletion.updated.isEmpty)
  }

  @Test("an element merges all changes since the consumer received the last element", arguments: Engine.allCases)
  func merging(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Old")
    let database = ModelDatabase(modelContainer: store.container)
    let old = try #require(try await database.fetch(FetchDescriptor<Club>()).first)
    var changes = store.container.changes(of: Club.self).makeAsyncIterator()
    let (kept, gone) = (try await database.insert { Club("Kept") }, try await database.insert { Club("Gone") })
    try await database.update(kept) { $0.rank = 4 }
    try await database.update(old) { $0.rank = 4 }
    try await database.delete(gone)
    let merged = try #require(try await changes.next())
    #expect(merged.inserted == [kept] && merged.updated == [old] && merged.deleted.isEmpty)
    try await database.update(old) { $0.rank = 5 }
    try await database.delete(old)
    let rest = try #require(try await changes.next())
    #expect(rest.deleted == [old] && rest.updated.isEmpty && rest.inserted.isEmpty)
  }

  @Test(
    "an element contains the rows that the database deletes by cascade, or is marked as incomplete",
    arguments: Engine.allCases)
  func cascades(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let database = ModelDatabase(modelContainer: store.container)
    let best = try await database.insert { Footballer("Best") }
    try await database.transaction { context in try context.get(best).club = try context.club("Ajax") }
    var changes = store.container.changes(of: Footballer.self).makeAsyncIterator()
    try await database.delete(model: Club.self, where: #Predicate { $0.name == "Ajax" })
    let first = try #require(try await changes.next())
    #expect(first.deleted == [best] || first.areIncomplete)
    try store.container.erase()
    #expect(try await changes.next()?.areIncomplete == true)
  }

  @Test(
    "a sequence omits a rolled-back transaction, and reports a committed one as a single element",
    arguments: Engine.allCases)
  func transactions(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine)
    let database = ModelDatabase(modelContainer: store.container)
    var changes = store.container.changes(of: Club.self).makeAsyncIterator()
    try await database.transaction { context in
      for name in ["a", "b"] {
        context.insert(Club(name))
        try context.save()
      }
    }
    let both = try #require(try await changes.next())
    #expect(both.inserted.count == 2 && !both.areIncomplete)
  }

  @Test("an element is incomplete if it would have more than 10,000 keys", arguments: Engine.sqlite)
  func many(_ engine: Engine) async throws {
    let store = try TestStore.clubs(engine)
    var changes = store.container.changes(of: Footballer.self).makeAsyncIterator()
    let context = store.context()
    for number in 0..<10_001 { context.insert(Footballer("\(number)")) }
    try context.save()
    let merged = try #require(try await changes.next())
    #expect(merged.areIncomplete && merged.inserted.isEmpty)
  }
}

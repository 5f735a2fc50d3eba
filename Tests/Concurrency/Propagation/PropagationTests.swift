import SwiftData
import Testing

@Suite("Changes that other contexts saved", .timeLimit(.minutes(10)))
struct PropagationTests {
  /// Creates a store with three trips, and two contexts that have both fetched the trip "Oslo".
  private func twoContexts(_ store: TestStore) throws -> (
    here: ModelContext, mine: Trip, there: ModelContext, theirs: Trip
  ) {
    try store.save("Oslo", "Rome", "Paris")
    let (here, there) = (store.context(), store.context())
    return (here, try here.trip("Oslo"), there, try there.trip("Oslo"))
  }

  @Test("registered models get the changes with the context's next operation of any kind", arguments: Engine.allCases)
  func nextOperation(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    let other = try here.trip("Rome").persistentModelID
    let operations: [(ModelContext) throws -> Void] = [
      { _ = try $0.fetch(FetchDescriptor<Stop>()) },
      { _ = try $0.fetchCount(FetchDescriptor<Stop>()) },
      { _ = try $0.fetchIdentifiers(FetchDescriptor<Stop>()) },
      { _ = $0.model(for: other) },
      { _ = $0.registeredModel(for: other) as Trip? },
      { _ = try $0.existingModel(for: other) as Trip },
    ]
    for (number, operation) in operations.enumerated() {
      theirs.days = 10 + number
      try there.save()
      #expect(mine.days != 10 + number)
      try operation(here)
      #expect(mine.days == 10 + number)
    }
    #expect(!here.hasChanges)
  }

  @Test("only observers of changed properties are notified", arguments: Engine.allCases)
  func observers(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    let days = changeFlag { _ = mine.days }
    let name = changeFlag { _ = mine.name }
    theirs.days = 7
    try there.save()
    #expect(!days.isRaised)
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(days.isRaised)
    #expect(!name.isRaised)
  }

  @Test("unsaved changes are not overwritten", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    mine.days = 3
    theirs.days = 7
    theirs.name = "Bergen"
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(mine.days == 3)
    #expect(mine.name == "Bergen")
    try here.save()
    #expect(try store.context().trip("Bergen").days == 3)
  }

  @Test("models of deleted rows are marked as deleted, and their observers are notified", arguments: Engine.allCases)
  func deleted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    let flag = changeFlag { _ = mine.name }
    there.delete(theirs)
    try there.save()
    #expect(!mine.isDeleted)
    let identifier = mine.persistentModelID
    #expect(here.registeredModel(for: identifier) as Trip? == nil)
    #expect(mine.isDeleted)
    #expect(mine.modelContext == nil)
    #expect(mine.name == "Oslo")
    #expect(flag.isRaised)
    #expect(throws: SwiftDataError.modelNotFound) { try here.existingModel(for: identifier) as Trip }
  }

  @Test("after a batch deletion, models of the deleted rows are marked as deleted", arguments: Engine.allCases)
  func batchDeletion(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, _) = try twoContexts(store)
    let stop = Stop("Bergen")
    mine.stops = [stop]
    try here.save()
    try there.delete(model: Stop.self)
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Traveller>())
    #expect(stop.isDeleted)
    #expect(mine.stops == [])
    try there.delete(model: Trip.self, where: #Predicate { $0.name == "Oslo" })
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Traveller>())
    #expect(mine.isDeleted)
  }

  @Test(
    "a changed model whose row another context deleted stays valid until its save, which reports the conflict",
    arguments: Engine.allCases)
  func deletedWithChanges(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    mine.days = 9
    there.delete(theirs)
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(here.hasChanges && !mine.isDeleted)
    try here.save()
    #expect(here.resolvedConflicts.map(\.kind) == [.deletedElsewhere])
    #expect(mine.isDeleted)
  }

  @Test("models on both sides of a relationship get the changes", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    let rome = try here.trip("Rome")
    #expect(mine.stops.isEmpty && mine.travellers.isEmpty && rome.stops.isEmpty)
    let stop = Stop("Bergen")
    theirs.stops.append(stop)
    theirs.travellers.append(Traveller("Ada"))
    try there.save()
    let mineStop = try #require(try here.fetch(FetchDescriptor<Stop>()).first)
    #expect(mine.stops == [mineStop])
    #expect(mine.travellers.map(\.name) == ["Ada"])
    #expect(mine.travellers.first?.trips == [mine])
    let flag = changeFlag { _ = rome.stops }
    stop.trip = try there.trip("Rome")
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Traveller>())
    #expect(flag.isRaised)
    #expect(mineStop.trip === rome)
    #expect(mine.stops == [])
    #expect(rome.stops == [mineStop])
    theirs.travellers = []
    there.delete(stop)
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Traveller>())
    #expect(mine.travellers == [])
    #expect(rome.stops == [])
  }

  @Test("an upsert of another context changes the registered model of its row", arguments: Engine.allCases)
  func upsert(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, there) = (store.context(), store.context())
    let mine = Traveller("Ada")
    here.insert(mine)
    here.insert(Trip("Oslo"))
    try here.save()
    let theirs = Traveller("Ada")
    there.insert(theirs)
    theirs.trips = [try there.trip("Oslo")]
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(mine.trips.map(\.name) == ["Oslo"])
  }

  @Test("during its own transaction, a context does not apply changes of other contexts", arguments: [Engine.file])
  func transaction(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    theirs.days = 7
    try there.save()
    try here.transaction {
      _ = try here.fetchCount(FetchDescriptor<Stop>())
      #expect(mine.days == 1)
    }
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(mine.days == 7)
  }

  @Test(
    "a context applies another context's transaction after its commit, and never if it was rolled back",
    arguments: Engine.allCases)
  func otherTransaction(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    try there.transaction {
      theirs.days = 7
      try there.save()
      if engine == .file || engine == .postgres {
        _ = try here.fetchCount(FetchDescriptor<Stop>())
        #expect(mine.days == 1)
      }
    }
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(mine.days == 7)
    let flag = changeFlag { _ = mine.days }
    #expect(throws: Failure.self) {
      try there.transaction {
        theirs.days = 8
        try there.save()
        throw Failure()
      }
    }
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(mine.days == 7)
    #expect(!flag.isRaised)
  }

  @Test("an observer may fetch in its context while it is notified of a change", arguments: Engine.allCases)
  func fetchingObserver(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, mine, there, theirs) = try twoContexts(store)
    let counts = Log<Int>()
    nonisolated(unsafe) let context = here
    withObservationTracking {
      _ = mine.days
    } onChange: {
      counts.add((try? context.fetchCount(FetchDescriptor<Trip>())) ?? -1)
    }
    theirs.days = 7
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(counts.entries == [3])
    #expect(mine.days == 7)
  }

  @Test("an idle context does not accumulate changes")
  func pilingUp() throws {
    let store = try TestStore(.memory)
    let (here, mine, there, theirs) = try twoContexts(store)
    for number in 0..<3 {
      for copy in 0..<6_000 { there.insert(Trip("\(number)-\(copy)")) }
      try there.save()
      for trip in try there.fetch(FetchDescriptor<Trip>()) { trip.days += 1 }
      try there.save()
    }
    #expect(theirs.days == 4)
    _ = try here.fetchCount(FetchDescriptor<Stop>())
    #expect(mine.days == 4)
  }
}

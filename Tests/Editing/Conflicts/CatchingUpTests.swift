import ConformanceSupport
import SwiftData
import Testing

extension CountedStore {
  /// A store with artists.
  fileprivate init(_ engine: Engine, artists: Int) throws {
    try self.init(engine, Studios.models)
    let context = ModelContext(container)
    for number in 0..<artists { context.insert(Artist("\(number)")) }
    try context.save()
  }

  fileprivate func artists(_ context: ModelContext) throws -> [Artist] {
    try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
  }

  /// The number of SELECT statements on artists in a block.
  fileprivate func reads(_ block: () throws -> Void) rethrows -> Int { try reads(of: "Artist", block) }
}

@Suite("Saves after commits of other contexts")
struct CatchingUpTests {
  @Test("a save compares rows once, and later saves read none", arguments: Engine.with(.singleWriter))
  func otherContext(_ engine: Engine) throws {
    let store = try CountedStore(engine, artists: 3)
    let (here, there) = (ModelContext(store.container), ModelContext(store.container))
    let (mine, theirs) = (try store.artists(here), try store.artists(there))
    #expect(try store.reads { try change(mine[0], here) } == 0)
    for round in 1...3 {
      theirs[1].age += 1
      try there.save()
      // The reads are the saved row before and after the save, and the row that the other context changed.
      #expect(try store.reads { try change(mine[0], here) } == 3)
      for _ in 0..<3 { #expect(try store.reads { try change(mine[0], here) } == 0) }
      #expect(mine[1].age == 30 + round)
    }
    #expect(mine[0].age == 30 + 1 + 12)
  }

  @Test("a save reads nothing if the context has already received the changes", arguments: Engine.with(.singleWriter))
  func heard(_ engine: Engine) throws {
    let store = try CountedStore(engine, artists: 3)
    let (here, there) = (ModelContext(store.container), ModelContext(store.container))
    let (mine, theirs) = (try store.artists(here), try store.artists(there))
    theirs[1].age = 40
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Group>())
    #expect(try store.reads { try change(mine[0], here) } == 0)
    // Only the model that was pending when the changes were received is compared.
    mine[2].age = 50
    theirs[1].age = 41
    theirs[2].age = 51
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Group>())
    #expect(try store.reads { try change(mine[0], here) } > 0)
    #expect(here.resolvedConflicts.map(\.propertyName) == ["age"])
    #expect(mine.map(\.age) == [32, 41, 50])
    #expect(try store.reads { try change(mine[0], here) } == 0)
  }

  @Test("a save compares nothing after commits that only inserted rows", arguments: Engine.with(.singleWriter))
  func insertions(_ engine: Engine) throws {
    let store = try CountedStore(engine, artists: 1)
    let (here, there) = (ModelContext(store.container), ModelContext(store.container))
    let mine = try store.artists(here)
    for number in 0..<3 {
      there.insert(Artist("new \(number)"))
      try there.save()
      #expect(try store.reads { try change(mine[0], here) } == 0)
    }
  }

  @Test("a save after commits of another process also compares rows once")
  func foreign() throws {
    let store = try CountedStore(.file, artists: 3)
    let (here, there) = (ModelContext(store.container), ModelContext(try store.foreignContainer()))
    let (mine, theirs) = (try store.artists(here), try store.artists(there))
    for round in 1...3 {
      theirs[1].age += 1
      try there.save()
      // The context reads all three rows again once it has compared as many rows.
      let reads = try (0..<6).map { _ in try store.reads { try change(mine[0], here) } }
      #expect(reads == [2, 2, 3, 0, 0, 0])
      #expect(mine[1].age == 30 + round)
    }
  }

  @Test(
    "rows are compared once for saves in transactions, after the transactions end",
    arguments: Engine.with(.singleWriter))
  func transactions(_ engine: Engine) throws {
    let store = try CountedStore(engine, artists: 2)
    let (here, there) = (ModelContext(store.container), ModelContext(store.container))
    let (mine, theirs) = (try store.artists(here), try store.artists(there))
    try there.transaction { theirs[1].age = 40 }
    try here.transaction { mine[0].age += 1 }
    #expect(mine[1].age == 40)
    #expect(try store.reads { try here.transaction { mine[0].age += 1 } } == 0)
    // A transaction that is rolled back notifies no other context.
    #expect(throws: Failure.self) {
      try there.transaction {
        theirs[1].age = 50
        try there.save()
        throw Failure()
      }
    }
    #expect(try store.reads { try change(mine[0], here) } == 0)
  }

  // Uses a file, because other contexts can read a file store during a transaction.
  @Test("a save detects a commit that was made before the context subscribed")
  func transactionBegunAlone() throws {
    let store = try CountedStore(.file, artists: 1)
    let there = ModelContext(store.container)
    let theirs = try store.artists(there)
    var here: ModelContext?
    var mine: [Artist] = []
    try there.transaction {
      theirs[0].age = 40
      try there.save()
      // Subscribes during the transaction, and reads the state before it.
      let late = ModelContext(store.container)
      mine = try store.artists(late)
      here = late
    }
    #expect(mine.map(\.age) == [30])
    mine[0].score = 1
    mine[0].age = 31
    try here?.save()
    #expect(here?.resolvedConflicts.map(\.theirs) == ["40"])
  }

  private func change(_ artist: Artist, _ context: ModelContext) throws {
    artist.age += 1
    try context.save()
  }
}

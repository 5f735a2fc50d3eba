import ConformanceSupport
import SwiftData
import Testing

extension CountedStore {
  /// Creates a store that counts its statements, and inserts artists.
  fileprivate init(_ engine: Engine, artists: Int) throws {
    try self.init(engine, Studios.models)
    let context = ModelContext(container)
    for number in 0..<artists { context.insert(Artist("\(number)")) }
    try context.save()
  }

  fileprivate func artists(_ context: ModelContext) throws -> [Artist] {
    try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
  }

  /// Counts the SELECT statements that a block executes on the table of artists.
  fileprivate func reads(_ block: () throws -> Void) rethrows -> Int { try reads(of: "Artist", block) }
}

@Suite("Saves after commits of other contexts")
struct CatchingUpTests {
  @Test(
    "after a commit of another context, one save compares rows, and later saves read none",
    arguments: Engine.with(.singleWriter))
  func otherContext(_ engine: Engine) throws {
    let store = try CountedStore(engine, artists: 3)
    let (here, there) = (ModelContext(store.container), ModelContext(store.container))
    let (mine, theirs) = (try store.artists(here), try store.artists(there))
    #expect(try store.reads { try change(mine[0], here) } == 0)
    for round in 1...3 {
      theirs[1].age += 1
      try there.save()
      // The three statements: the save reads the saved row before and after it writes the row, and reads the row that
      // the other context changed.
      #expect(try store.reads { try change(mine[0], here) } == 3)
      for _ in 0..<3 { #expect(try store.reads { try change(mine[0], here) } == 0) }
      #expect(mine[1].age == 30 + round)
    }
    #expect(mine[0].age == 30 + 1 + 12)
  }

  @Test(
    "a save reads nothing if an earlier fetch has already applied the other context's changes",
    arguments: Engine.with(.singleWriter))
  func heard(_ engine: Engine) throws {
    let store = try CountedStore(engine, artists: 3)
    let (here, there) = (ModelContext(store.container), ModelContext(store.container))
    let (mine, theirs) = (try store.artists(here), try store.artists(there))
    theirs[1].age = 40
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Group>())
    #expect(try store.reads { try change(mine[0], here) } == 0)
    // The save compares only the model that had an unsaved change when the fetch applied the other context's changes.
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

  @Test("a save compares no rows after other contexts committed only insertions", arguments: Engine.with(.singleWriter))
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

  @Test("after a commit of another process, the context compares its rows once, and later saves read none")
  func foreign() throws {
    let store = try CountedStore(.file, artists: 3)
    let (here, there) = (ModelContext(store.container), ModelContext(try store.foreignContainer()))
    let (mine, theirs) = (try store.artists(here), try store.artists(there))
    for round in 1...3 {
      theirs[1].age += 1
      try there.save()
      // The first saves compare one row each. Once the context has compared three rows, it reads all its three rows
      // again.
      let reads = try (0..<6).map { _ in try store.reads { try change(mine[0], here) } }
      #expect(reads == [2, 2, 3, 0, 0, 0])
      #expect(mine[1].age == 30 + round)
    }
  }

  @Test("a fetch notices the commits of another process between commits of this one, in every order")
  func mixedCommits() throws {
    let store = try CountedStore(.file, artists: 3)
    let (here, own) = (ModelContext(store.container), ModelContext(store.container))
    let there = ModelContext(try store.foreignContainer())
    let (mine, ours) = (try store.artists(here), try store.artists(own))
    let theirs = try store.artists(there)
    for order in 0..<64 {
      var isChanged = false
      for step in 0..<6 {
        guard order >> step & 1 == 1 else {
          try change(ours[2], own)
          continue
        }
        theirs[1].age += 1
        try there.save()
        isChanged = true
      }
      // Any read of the context looks for commits of others.
      _ = try here.fetchCount(FetchDescriptor<Group>())
      #expect(mine[1].age == theirs[1].age, "after the commits \(String(order, radix: 2)), isChanged \(isChanged)")
      #expect(mine[2].age == ours[2].age)
    }
  }

  @Test(
    "after a commit of another context, one transaction compares rows, and later transactions read none",
    arguments: Engine.with(.singleWriter))
  func transactions(_ engine: Engine) throws {
    let store = try CountedStore(engine, artists: 2)
    let (here, there) = (ModelContext(store.container), ModelContext(store.container))
    let (mine, theirs) = (try store.artists(here), try store.artists(there))
    try there.transaction { theirs[1].age = 40 }
    try here.transaction { mine[0].age += 1 }
    #expect(mine[1].age == 40)
    #expect(try store.reads { try here.transaction { mine[0].age += 1 } } == 0)
    // A rolled-back transaction commits nothing, so the other contexts receive no changes.
    #expect(throws: Failure.self) {
      try there.transaction {
        theirs[1].age = 50
        try there.save()
        throw Failure()
      }
    }
    #expect(try store.reads { try change(mine[0], here) } == 0)
  }

  // The test uses a file, because a context can read a file store while another context's transaction is open.
  @Test("a save detects a commit of a transaction that began before the context was created")
  func transactionBegunAlone() throws {
    let store = try CountedStore(.file, artists: 1)
    let there = ModelContext(store.container)
    let theirs = try store.artists(there)
    var here: ModelContext?
    var mine: [Artist] = []
    try there.transaction {
      theirs[0].age = 40
      try there.save()
      // This context is created while the transaction is open, so it reads the rows as they were before the
      // transaction.
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

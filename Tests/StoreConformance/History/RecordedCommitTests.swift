import ConformanceSupport
import OpenSwiftData
import Testing

@Suite("Refreshing objects by the history records of other processes' commits")
struct RecordedCommitTests {
  private static let models: [any PersistentModel.Type] = [Voyage.self, Leg.self, Guide.self]

  /// A store with three voyages, a context of its container (`here`), and a context of a second container (`there`),
  /// which the first container treats like another process.
  private struct Shared {
    let store: CountedStore
    let here: ModelContext
    let there: ModelContext
    let mine: [Voyage]
    let theirs: [Voyage]

    init(history: ModelConfiguration.History? = .standard) throws {
      store = try CountedStore(.file, RecordedCommitTests.models, history: history)
      there = ModelContext(try store.foreignContainer())
      for name in ["a", "b", "c"] { there.insert(Voyage(name)) }
      try there.save()
      here = ModelContext(store.container)
      let order = [SortDescriptor(\Voyage.name)]
      (mine, theirs) = (try here.fetch(FetchDescriptor(sortBy: order)), try there.fetch(FetchDescriptor(sortBy: order)))
    }

    /// Fetches another entity, so that the context applies the commits of the second container, and then reads the
    /// prices of all voyages. Returns the number of statements that read voyages meanwhile.
    func reads() throws -> Int {
      try store.reads(of: "Voyage") {
        _ = try here.fetchCount(FetchDescriptor<Guide>())
        _ = mine.map(\.price)
      }
    }

    /// Commits and applies one change. From then on, the context can find out by the history which rows each further
    /// commit changed.
    func begin() throws {
      theirs[0].price = -1
      try there.save()
      _ = try reads()
      #expect(mine[0].price == -1)
    }

    func run(_ sql: String) throws { try RawDatabase(store.path).run(sql) }
  }

  @Test("a commit refreshes the objects of the changed rows and no other objects")
  func byKey() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    for round in 1...5 {
      shared.theirs[1].price = Double(round)
      try shared.there.save()
      #expect(try shared.reads() == 1)
      #expect(shared.mine.map(\.price) == [-1, Double(round), 0])
    }
    // Without new commits, no row is read. After two commits, the two changed rows are read.
    #expect(try shared.reads() == 0)
    shared.theirs[1].price = 8
    try shared.there.save()
    shared.theirs[2].price = 9
    try shared.there.save()
    #expect(try shared.reads() <= 2)
    #expect(shared.mine.map(\.price) == [-1, 8, 9])
    #expect(try shared.reads() == 0)
  }

  @Test("commits refresh only the objects of changed rows if this process also commits")
  func own() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    for round in 1...5 {
      shared.mine[0].price = Double(round)
      try shared.here.save()
      shared.theirs[1].price = Double(round)
      try shared.there.save()
      // The row that the context itself saved may be read again, because its record is among the new records.
      #expect(try shared.reads() <= 2)
      #expect(shared.mine.map(\.price) == [Double(round), Double(round), 0])
    }
  }

  @Test("if one of several commits has no history record, all objects are refreshed", arguments: [false, true])
  func withoutRecord(_ isLast: Bool) throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    if isLast { shared.theirs[1].price = 1 }
    try shared.there.save()
    try shared.run("UPDATE Voyage SET price = 7 WHERE name = 'c'")
    if !isLast { shared.theirs[1].price = 1 }
    try shared.there.save()
    _ = try shared.reads()
    #expect(shared.mine.map(\.price) == [-1, 1, 7])
    shared.theirs[0].price = 3
    try shared.there.save()
    #expect(try shared.reads() == 1)
    #expect(shared.mine.map(\.price) == [3, 1, 7])
  }

  @Test("the records of several saves in one transaction count as one commit")
  func transaction() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    try shared.there.transaction {
      shared.theirs[0].price = 1
      try shared.there.save()
      try? shared.there.transaction {
        shared.theirs[0].price = 100
        try shared.there.save()
        throw Failure()
      }
      shared.theirs[1].price = 2
      try shared.there.save()
    }
    // This commit has no record, but the transaction before it has two, so there are as many records as commits. The
    // context must not conclude that each commit has a record.
    try shared.run("UPDATE Voyage SET price = 7 WHERE name = 'c'")
    _ = try shared.reads()
    #expect(shared.mine.map(\.price) == [1, 2, 7])
    try shared.there.transaction {
      shared.theirs[0].price = 3
      try shared.there.save()
      shared.theirs[1].price = 4
      try shared.there.save()
    }
    #expect(try shared.reads() <= 2)
    #expect(shared.mine.map(\.price) == [3, 4, 7])
  }

  @Test("commits refresh only the objects of changed rows after a checkpoint restarted the write-ahead log")
  func newLog() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    for round in 1...6 {
      try shared.run("PRAGMA wal_checkpoint(\(round.isMultiple(of: 2) ? "TRUNCATE" : "RESTART"))")
      shared.theirs[1].price = Double(round)
      try shared.there.save()
      #expect(try shared.reads() == 1)
      try shared.run("UPDATE Voyage SET price = \(round) WHERE name = 'c'")
      try shared.run("PRAGMA wal_checkpoint(RESTART)")
      shared.theirs[1].price = Double(-round)
      try shared.there.save()
      _ = try shared.reads()
      #expect(shared.mine.map(\.price) == [-1, Double(-round), Double(round)])
    }
  }

  @Test("if another program has added triggers, every commit refreshes all objects")
  func triggers() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.run(
      "CREATE TRIGGER mine AFTER UPDATE ON Voyage WHEN NEW.name = 'b' BEGIN UPDATE Voyage SET price = 5 WHERE name = 'c'; END"
    )
    _ = try shared.reads()
    try shared.begin()
    shared.theirs[1].price = 4
    try shared.there.save()
    _ = try shared.reads()
    #expect(shared.mine.map(\.price) == [-1, 4, 5])
  }

  @Test("a record with a kind of change that this version does not know refreshes all objects")
  func unknownKind() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    shared.theirs[1].price = 4
    try shared.there.save()
    // A commit of a later version of the library, with an unknown kind of change to another row.
    let change = #"[["replace","Voyage",3]]"#
    let database = try RawDatabase(shared.store.path)
    for statement in [
      "BEGIN", "UPDATE Voyage SET price = 6 WHERE name = 'c'",
      "INSERT INTO _osd_history (time, changes) VALUES (0, '\(change)')", "COMMIT",
    ] { try database.run(statement) }
    _ = try shared.reads()
    #expect(shared.mine.map(\.price) == [-1, 4, 6])
  }

  @Test("after reads of an older snapshot, commits without a record are still detected")
  func olderSnapshot() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    let other = ModelContext(shared.store.container)
    try other.enumerate(FetchDescriptor<Voyage>()) { voyage in
      guard voyage.name == "a" else { return }
      for round in 1...2 {
        shared.theirs[1].price = Double(round)
        try shared.there.save()
      }
      // These reads use the snapshot of the enumeration, in which the commits are not visible.
      _ = try ModelContext(shared.store.container).fetchCount(FetchDescriptor<Guide>())
      _ = try shared.reads()
    }
    for _ in 0..<2 { try shared.run("UPDATE Voyage SET price = price + 10 WHERE name = 'c'") }
    _ = try shared.reads()
    #expect(shared.mine.map(\.price) == [-1, 2, 20])
    shared.theirs[0].price = 7
    try shared.there.save()
    _ = try shared.reads()
    #expect(shared.mine.map(\.price) == [7, 2, 20])
  }

  @Test("a commit that deletes a row by predicate removes its model from lists")
  func deletions() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    let there = shared.there
    for (number, voyage) in shared.theirs.enumerated() { voyage.legs = [Leg("x\(number)"), Leg("y\(number)")] }
    let guide = Guide("g")
    shared.theirs[0].guides = [guide, Guide("h")]
    try there.save()
    try shared.begin()
    #expect(shared.mine.map(\.legs.count) == [2, 2, 2])
    #expect(shared.mine[0].guides.count == 2)
    try there.delete(model: Leg.self, where: #Predicate { $0.place == "x0" })
    try there.save()
    _ = try shared.reads()
    #expect(shared.mine[0].legs.map(\.place) == ["y0"])
    try there.delete(model: Guide.self, where: #Predicate { $0.name == "g" })
    try there.save()
    _ = try shared.reads()
    #expect(shared.mine[0].guides.map(\.name) == ["h"])
    #expect(shared.mine.map(\.price) == [-1, 0, 0])
  }

  @Test("a commit moves a model between lists, including out of a list that the saving context had not read")
  func formerOwners() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    let there = shared.there
    let leg = Leg("x")
    shared.theirs[0].legs = [leg]
    try there.save()
    try shared.begin()
    #expect(shared.mine.map(\.legs.count) == [1, 0, 0])
    // A third context moves the leg to voyage b. The second context has not read this change: it moves the leg from
    // voyage a to voyage c. The first context must remove the leg from voyage b.
    let third = ModelContext(try shared.store.foreignContainer())
    let voyages = try third.fetch(FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)]))
    let theirLeg = try #require(voyages[0].legs.first)
    theirLeg.voyage = voyages[1]
    try third.save()
    _ = try shared.reads()
    #expect(shared.mine.map(\.legs.count) == [0, 1, 0])
    leg.voyage = shared.theirs[2]
    try there.save()
    _ = try shared.reads()
    #expect(shared.mine.map(\.legs.count) == [0, 0, 1])
  }

  @Test("a commit refreshes objects after delete rules, changes of many-to-many pairs and reordered lists")
  func relationships() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    let (here, there) = (shared.here, shared.there)
    shared.theirs[0].legs = [Leg("x"), Leg("y")]
    try there.save()
    try shared.begin()
    let legs = try here.fetch(FetchDescriptor<Leg>(sortBy: [SortDescriptor(\.place)]))
    #expect(Set(shared.mine[0].legs.map(\.place)) == ["x", "y"] && shared.mine[0].guides.isEmpty)
    let guide = Guide("g")
    shared.theirs[0].guides = [guide]
    try there.save()
    _ = try shared.reads()
    #expect(shared.mine[0].guides.map(\.name) == ["g"])
    let mine = try #require(shared.mine[0].guides.first)
    guide.voyages = [shared.theirs[1], shared.theirs[2]]
    shared.theirs[0].legs.removeLast()
    try there.save()
    _ = try shared.reads()
    #expect(mine.voyages.map(\.name) == ["b", "c"])
    #expect(shared.mine[0].guides.isEmpty && shared.mine[0].legs.count == 1)
    there.delete(shared.theirs[0])
    try there.save()
    _ = try shared.reads()
    #expect(shared.mine[0].isDeleted)
    #expect(legs.filter(\.isDeleted).count == 1)
  }

  @Test("if the store has no history, every commit refreshes all objects")
  func noHistory() throws {
    let shared = try Shared(history: nil)
    defer { withExtendedLifetime(shared) {} }
    for round in 1...3 {
      shared.theirs[1].price = Double(round)
      try shared.there.save()
      #expect(try shared.reads() > 0)
      #expect(shared.mine.map(\.price) == [0, Double(round), 0])
    }
  }
}

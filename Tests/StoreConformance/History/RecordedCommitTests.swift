import ConformanceSupport
import OpenSwiftData
import Testing

@Suite("Commits of other processes that have records")
struct RecordedCommitTests {
  private static let models: [any PersistentModel.Type] = [Voyage.self, Leg.self, Guide.self]

  /// A store with three voyages, a context here, and one as another process has it.
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

    /// How many statements read voyages when something else is fetched, which hears of commits, and then all properties.
    func reads() throws -> Int {
      try store.reads(of: "Voyage") {
        _ = try here.fetchCount(FetchDescriptor<Guide>())
        _ = mine.map(\.price)
      }
    }

    /// Takes in one commit: from there on the changed rows of commits are known.
    func begin() throws {
      theirs[0].price = -1
      try there.save()
      _ = try reads()
      #expect(mine[0].price == -1)
    }

    func run(_ sql: String) throws { try RawDatabase(store.path).run(sql) }
  }

  @Test("refresh the objects of the rows that they changed, and no others")
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
    // Without news there is nothing to be read, and with two commits at once there are two rows.
    #expect(try shared.reads() == 0)
    shared.theirs[1].price = 8
    try shared.there.save()
    shared.theirs[2].price = 9
    try shared.there.save()
    #expect(try shared.reads() <= 2)
    #expect(shared.mine.map(\.price) == [-1, 8, 9])
    #expect(try shared.reads() == 0)
  }

  @Test("of this process count as those of others do")
  func own() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    for round in 1...5 {
      shared.mine[0].price = Double(round)
      try shared.here.save()
      shared.theirs[1].price = Double(round)
      try shared.there.save()
      // Its own row may be read again, since its record is among the new ones.
      #expect(try shared.reads() <= 2)
      #expect(shared.mine.map(\.price) == [Double(round), Double(round), 0])
    }
  }

  @Test("refresh everything if there was one without a record between them", arguments: [false, true])
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

  @Test("with several records, of saves in one transaction, count once")
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
    // As many commits as there are records, and one of them has none.
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

  @Test("are named one by one when the log has begun anew")
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

  @Test("refresh everything if another program has added triggers")
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

  @Test("refresh everything if a record says what this version does not know")
  func unknownKind() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    try shared.begin()
    shared.theirs[1].price = 4
    try shared.there.save()
    // In the commit of a later version, whose kind of change concerns another row.
    let change = #"[["replace","Voyage",3]]"#
    let database = try RawDatabase(shared.store.path)
    for statement in [
      "BEGIN", "UPDATE Voyage SET price = 6 WHERE name = 'c'",
      "INSERT INTO _osd_history (time, changes) VALUES (0, '\(change)')", "COMMIT",
    ] { try database.run(statement) }
    _ = try shared.reads()
    #expect(shared.mine.map(\.price) == [-1, 4, 6])
  }

  @Test("seen within a read of an older snapshot are not taken for others later")
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
      // In the snapshot of the enumeration, where none of this has happened.
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

  @Test("take deleted models out of lists, also where the row alone was deleted")
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

  @Test("move a model between lists, also out of one of which the saver had not heard")
  func formerOwners() throws {
    let shared = try Shared()
    defer { withExtendedLifetime(shared) {} }
    let there = shared.there
    let leg = Leg("x")
    shared.theirs[0].legs = [leg]
    try there.save()
    try shared.begin()
    #expect(shared.mine.map(\.legs.count) == [1, 0, 0])
    // The third moves it; the second, which has it where it was, moves it on.
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

  @Test("tell of deletions by rules, of pairs and of orders")
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

  @Test("without a history, refresh everything")
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

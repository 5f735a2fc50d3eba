#if PostgreSQL
  import Foundation
  import PersistenceCore
  import OpenSwiftData
  import PostgresStore
  import PostgresSupport
  import Testing

  @Suite("A container with a store in PostgreSQL")
  struct PostgresEngineTests {
    private let configuration: PostgresConfiguration

    init() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Engine \(UUID().uuidString)"
      configuration.maximumConnections = 4
      self.configuration = configuration
    }

    private func container(
      _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> ModelContainer {
      var configuration = configuration
      change(&configuration)
      return try ModelContainer(for: Holder.self, Holding.self, Ship.self, configurations: configuration)
    }

    @Test(
      "a context saves, fetches, changes and deletes models, with relationships, subclasses and lists in their order")
    func life() throws {
      do {
        let context = ModelContext(try container())
        let (ann, bob, cid) = (Holder("Ann", number: 1), Holder("Bob", number: 2), Holder("Cid"))
        for holder in [ann, bob, cid] { context.insert(holder) }
        ann.holdings = [Holding("house"), Ship("boat", mark: "b"), Holding("land")]
        ann.friends = [cid, bob]
        try context.save()
        ann.holdings.swapAt(0, 2)
        ann.friends = [bob, cid]
        bob.note = "changed"
        try context.save()
      }
      let context = ModelContext(try container())
      let holders = try context.fetch(FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.name)]))
      #expect(holders.map(\.name) == ["Ann", "Bob", "Cid"])
      #expect(holders[1].note == "changed")
      #expect(holders[0].holdings.map(\.title) == ["land", "boat", "house"])
      #expect(holders[0].friends.map(\.name) == ["Bob", "Cid"])
      let ships = try context.fetch(FetchDescriptor<Ship>(predicate: #Predicate { $0.holder?.name == "Ann" }))
      #expect(ships.map(\.mark) == ["b"])
      context.delete(holders[0])
      try context.save()
      #expect(try ModelContext(container()).fetchCount(FetchDescriptor<Holding>()) == 0)
      #expect(try ModelContext(container()).fetchCount(FetchDescriptor<Holder>()) == 2)
    }

    @Test("a new model with existing unique values updates the row or throws, depending on the conflict policy")
    func uniqueness() throws {
      let context = ModelContext(try container())
      context.insert(Holder("Ann", number: 1))
      try context.save()
      context.insert(Holder("Bob", number: 2))
      let other = Holder("Ann", number: 3)
      other.note = "new"
      context.insert(other)
      try context.save()
      let found = try ModelContext(container()).fetch(FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.name)]))
      #expect(found.map(\.number) == [3, 2])
      #expect(found.first?.note == "new")
      let strict = ModelContext(try container { $0.uniquenessPolicy = .throwError })
      strict.insert(Holder("Bob", number: 9))
      let error = #expect(throws: SwiftDataError.self) { try strict.save() }
      #expect(error?.explanation?.contains("Holder.name") == true)
      #expect(error?.explanation?.contains("Bob") == true)
      strict.rollback()
      #expect(try strict.fetchCount(FetchDescriptor<Holder>()) == 2)
    }

    @Test("rows can exchange their unique values; if a third row has a value, the error names this row")
    func exchange() throws {
      let context = ModelContext(try container())
      let holders = (0..<5).map { (number: Int) in Holder("h\(number)", number: number) }
      for holder in holders { context.insert(holder) }
      try context.save()
      for (index, holder) in holders.enumerated() { holder.name = "h\((index + 1) % 5)" }
      try context.save()
      let names = try ModelContext(container()).fetch(FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.number)]))
      #expect(names.map(\.name) == ["h1", "h2", "h3", "h4", "h0"])
      holders[3].name = "new"
      holders[1].name = "h1"
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error?.explanation?.contains("h1") == true)
      context.rollback()
      holders[1].note = "usable"
      try context.save()
    }

    @Test("texts and numbers are read as they were written, even if their stored form differs")
    func originals() throws {
      let context = ModelContext(try container())
      let decomposed = "cafe\u{301}"
      let holder = Holder(decomposed, number: 1)
      holder.note = "a\u{0}b"
      let ship = Ship("s", mark: "m")
      ship.length = -0.0
      holder.holdings = [ship]
      context.insert(holder)
      try context.save()
      let found = try #require(try ModelContext(container()).fetch(FetchDescriptor<Holder>()).first)
      #expect(Array(found.name.unicodeScalars) == Array(decomposed.unicodeScalars))
      #expect(found.note == "a\u{0}b")
      #expect((found.holdings.first as? Ship)?.length.sign == .minus)
      holder.name = "caf\u{E9}"
      try context.save()
      let again = try #require(try ModelContext(container()).fetch(FetchDescriptor<Holder>()).first)
      #expect(Array(again.name.unicodeScalars) == Array("caf\u{E9}".unicodeScalars))
    }

    @Test("a fetch evaluates in memory what PostgreSQL cannot evaluate, including limit and count")
    func memory() throws {
      let context = ModelContext(try container())
      for (index, name) in ["Äpfel", "apfel", "Birne", "äpfel 2"].enumerated() {
        context.insert(Holder(name, number: index))
      }
      try context.save()
      let fresh = ModelContext(try container())
      var search = FetchDescriptor<Holder>(
        predicate: #Predicate { $0.name.localizedStandardContains("APFEL") }, sortBy: [SortDescriptor(\.number)])
      #expect(try fresh.fetch(search).compactMap(\.number) == [0, 1, 3])
      search.fetchLimit = 1
      search.fetchOffset = 1
      #expect(try fresh.fetch(search).compactMap(\.number) == [1])
      #expect(try fresh.fetchCount(search) == 1)
      let short = FetchDescriptor<Holder>(predicate: #Predicate { $0.name.count == 5 && $0.number != 1 })
      #expect(try fresh.fetch(short).compactMap(\.number).sorted() == [0, 2])
      let ordered = FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.name, comparator: .localizedStandard)])
      #expect(try fresh.fetch(ordered).count == 4)
    }

    @Test("no change is lost if several containers change the same rows concurrently", .timeLimit(.minutes(10)))
    func concurrent() async throws {
      let first = try container()
      let context = ModelContext(first)
      context.insert(Holder("counter", number: 0))
      try context.save()
      let containers = try (0..<3).map { _ in try container { $0.saveRetries = 50 } }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (container, letter) in zip(containers, ["a", "b", "c"]) {
          group.addTask {
            for _ in 0..<20 {
              while true {
                let context = ModelContext(container)
                context.conflictPolicy = .throwError
                let holder = try #require(try context.fetch(FetchDescriptor<Holder>()).first)
                // Each container appends its own letter, because an equal change by two containers is no conflict.
                holder.note = (holder.note ?? "") + letter
                do {
                  try context.save()
                  break
                } catch let error as SwiftDataError where error == .conflictingChanges {}
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let holder = try #require(try ModelContext(container()).fetch(FetchDescriptor<Holder>()).first)
      for letter in "abc" { #expect(holder.note?.filter { $0 == letter }.count == 20) }
    }

    @Test("a container is read-only if its configuration requires it, and has no rows after it is erased")
    func readOnlyAndErase() throws {
      let container = try container()
      let context = ModelContext(container)
      context.insert(Holder("Ann"))
      try context.save()
      let reader = ModelContext(try self.container { $0.allowsSave = false })
      #expect(try reader.fetchCount(FetchDescriptor<Holder>()) == 1)
      reader.insert(Holder("Bob"))
      let error = #expect(throws: SwiftDataError.self) { try reader.save() }
      #expect(error == .storeReadOnly)
      try container.erase()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Holder>()) == 0)
    }

    @Test(
      "if the session ends during the commit, the save asks the server and reports that nothing is saved"
    )
    func lostCommit() throws {
      let cluster = try TestCluster.shared.get()
      let context = ModelContext(try container())
      context.insert(Holder("Ann"))
      try context.save()
      let other = try cluster.connect()
      // A deferred trigger runs during the commit, and ends the session there.
      let table = "\"\(configuration.namespace)\".\"Holder\""
      try other.execute(
        "CREATE FUNCTION \"\(configuration.namespace)\".die() RETURNS trigger LANGUAGE plpgsql AS "
          + "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; "
          + "CREATE CONSTRAINT TRIGGER die AFTER INSERT ON \(table) DEFERRABLE INITIALLY DEFERRED "
          + "FOR EACH ROW EXECUTE FUNCTION \"\(configuration.namespace)\".die()")
      context.insert(Holder("Bob"))
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .storeUnreachable)
      #expect(error?.explanation?.contains("Nothing was saved") == true)
      #expect(!(error?.underlyingError is UnknownOutcome))
      #expect(try ModelContext(container()).fetchCount(FetchDescriptor<Holder>()) == 1)
      try other.execute("DROP TRIGGER die ON \(table)")
      try context.save()
      #expect(try ModelContext(container()).fetchCount(FetchDescriptor<Holder>()) == 2)
    }
  }
#endif

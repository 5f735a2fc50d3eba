#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Suite("Saving objects in PostgreSQL")
  struct PipelinedSaveTests {
    private let container: ModelContainer
    private let context: ModelContext
    /// A context of a second container of the same store, which acts as another process.
    private let foreign: ModelContext

    init() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Pipelines \(UUID().uuidString)"
      configuration.maximumConnections = 2
      func open() throws -> ModelContainer {
        try ModelContainer(for: Freight.self, Wagon.self, configurations: configuration)
      }
      container = try open()
      context = ModelContext(container)
      foreign = ModelContext(try open())
    }

    private func roundTrips(_ body: () throws -> Void) throws -> Int {
      let engine = try #require(context.stores.stores.first?.engine as? PostgresStoreEngine)
      let before = engine.roundTrips
      try body()
      return engine.roundTrips - before
    }

    private func saveSome() throws -> [Freight] {
      let freights = (0..<4).map { (number: Int) in Freight("f\(number)", weight: number) }
      for freight in freights {
        context.insert(freight)
        freight.wagons = [Wagon("w\(freight.name)")]
      }
      try context.save()
      return freights
    }

    private func theirs(_ name: String) throws -> Freight {
      try #require(try foreign.fetch(FetchDescriptor<Freight>(predicate: #Predicate { $0.name == name })).first)
    }

    @Test("a save without conflict takes one round trip: new and changed rows, unique values, references and join rows")
    func oneRoundTrip() throws {
      let freights = try saveSome()
      #expect(
        try roundTrips {
          freights[0].weight += 1
          try context.save()
        } == 1)
      #expect(
        try roundTrips {
          freights[1].name = "renamed"
          freights[2].note = "n"
          freights[2].arrival = .now
          freights[3].wagons[0].freight = freights[0]
          try context.save()
        } == 1)
      #expect(
        try roundTrips {
          let new = Freight("new", weight: 9)
          context.insert(new)
          new.passes = [freights[0], freights[1]]
          try context.save()
        } == 1)
      let names = try foreign.fetch(FetchDescriptor<Freight>(sortBy: [SortDescriptor(\.name)])).map(\.name)
      #expect(names == ["f0", "f2", "f3", "new", "renamed"])
      #expect(try theirs("new").passes.map(\.name).sorted() == ["f0", "renamed"])
      #expect(try theirs("f0").wagons.count == 2)
    }

    @Test(
      "each kind of statement detects that another process has changed the rows since, and the save writes nothing",
      arguments: 0..<4)
    func missInTurn(place: Int) throws {
      let freights = try saveSome()
      context.conflictPolicy = .throwError
      // Each change affects other attributes, so that the save needs four different UPDATE statements.
      func change(_ freights: [Freight], _ text: String) -> [() -> Void] {
        [
          { freights[0].weight += text.count * 100 }, { freights[1].note = text },
          { freights[2].arrival = Date(timeIntervalSinceReferenceDate: Double(text.count)) },
          { freights[3].isFragile = text.count.isMultiple(of: 2) ? true : nil },
        ]
      }
      let others = try (0..<4).map { try theirs("f\($0)") }
      change(others, "ab")[place]()
      try foreign.save()
      for step in change(freights, "abc") { step() }
      let trips = try roundTrips {
        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        // Equal changes by both contexts would be no conflict; these changes differ.
        #expect(error == .conflictingChanges)
      }
      #expect(trips > 1)
      let fresh = ModelContext(container)
      let stored = try fresh.fetch(FetchDescriptor<Freight>(sortBy: [SortDescriptor(\.name)]))
      #expect(stored.map(\.weight) == (0..<4).map { $0 + (place == 0 && $0 == 0 ? 200 : 0) })
      #expect(stored[1].note == (place == 1 ? "ab" : nil))
      #expect(stored[2].arrival?.timeIntervalSinceReferenceDate == (place == 2 ? 2 : nil))
      #expect(stored[3].isFragile == (place == 3 ? true : false))
      // The other changes can be saved after the conflict is resolved.
      context.conflictPolicy = .mergeByProperty(keeping: .ours)
      try context.save()
      #expect(try theirs("f0").weight == 300)
    }

    @Test("a save merges another process's changes of other properties, and detects that another process deleted a row")
    func mergeAndLoss() throws {
      let freights = try saveSome()
      let other = try theirs("f0")
      other.note = "theirs"
      try foreign.save()
      freights[0].weight = 50
      try context.save()
      foreign.rollback()
      let merged = try #require(
        try ModelContext(container).fetch(FetchDescriptor<Freight>(predicate: #Predicate { $0.name == "f0" })).first)
      #expect(merged.note == "theirs")
      #expect(merged.weight == 50)
      foreign.delete(try theirs("f1"))
      try foreign.save()
      freights[1].weight = 60
      context.conflictPolicy = .throwError
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .conflictingChanges)
    }

    @Test("a new row with existing unique values updates the existing row after the first attempt fails")
    func upsert() throws {
      _ = try saveSome()
      for round in 0..<6 {
        let new = Freight("f2", weight: 100 + round)
        context.insert(new)
        try context.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Freight>()) == 4)
        let stored = try ModelContext(container).fetch(
          FetchDescriptor<Freight>(predicate: #Predicate { $0.name == "f2" }))
        #expect(stored.map(\.weight) == [100 + round])
      }
    }

    @Test("a save clears a reference to a row that another process has deleted")
    func reference() throws {
      let freights = try saveSome()
      foreign.delete(try theirs("f3"))
      try foreign.save()
      freights[0].wagons[0].freight = freights[3]
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Wagon>()).filter { $0.freight == nil }.count >= 1)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Freight>()) == 3)
    }

    @Test("a save of one row sends no unnecessary statement, and queries original texts only if there may be any")
    func statements() throws {
      let recorder = LogRecorder()
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Statements \(UUID().uuidString)"
      (configuration.history, configuration.propagation) = (.off, .off)
      configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
      let context = ModelContext(
        try ModelContainer(for: Freight.self, Wagon.self, configurations: configuration))
      let (freight, wagon) = (Freight("f", weight: 1), Wagon("w"))
      context.insert(freight)
      context.insert(wagon)
      try context.save()
      func sent(_ change: () -> Void) throws -> (beginnings: [String], asksForOriginals: Bool) {
        recorder.clear()
        change()
        try context.save()
        let statements = recorder.statements
        return (
          statements.map { String($0.prefix { $0 != " " }) }, statements.contains { $0.contains("?|") }
        )
      }
      let number = try sent { freight.weight = 2 }
      // The save is a single statement, which the server commits without BEGIN and COMMIT.
      #expect(number.beginnings == ["UPDATE"])
      #expect(!number.asksForOriginals)
      let text = try sent { freight.note = "a" }
      #expect(text.beginnings == ["UPDATE"])
      // The old value is nil, which has no original text, so the save does not query original texts.
      #expect(!text.asksForOriginals)
      #expect(try sent { freight.note = "b" }.asksForOriginals)
      #expect(try sent { freight.price = 2 }.asksForOriginals)
      #expect(try !sent { freight.price = 3 }.asksForOriginals)
      // The foreign key is checked at the end of the transaction, so that the insertion needs BEGIN and COMMIT.
      let insertion = try sent { context.insert(Wagon("new")) }
      #expect(insertion.beginnings == ["BEGIN", "LOCK", "INSERT", "COMMIT"])
      let deletion = try sent { context.delete(wagon) }
      #expect(deletion.beginnings == ["BEGIN", "LOCK", "WITH", "COMMIT"])
      let several = try sent { for number in 0..<3 { context.insert(Wagon("\(number)")) } }
      #expect(several.beginnings == ["BEGIN", "LOCK", "SET", "INSERT", "SELECT", "COMMIT"])
    }

    @Test(
      "a save of one row alone detects by the statement's result that another process changed or deleted the row")
    func alone() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Alone \(UUID().uuidString)"
      (configuration.history, configuration.propagation) = (.off, .off)
      func open() throws -> ModelContext {
        ModelContext(try ModelContainer(for: Freight.self, Wagon.self, configurations: configuration))
      }
      let (context, foreign) = (try open(), try open())
      let freights = (0..<3).map { (number: Int) in Freight("f\(number)", weight: number) }
      for freight in freights { context.insert(freight) }
      try context.save()
      let all = FetchDescriptor<Freight>(sortBy: [SortDescriptor(\.name)])
      let theirs = try foreign.fetch(all)
      for freight in theirs { freight.weight += 10 }
      theirs[1].note = "theirs"
      try foreign.save()

      context.conflictPolicy = .throwError
      freights[0].weight = 5
      #expect(#expect(throws: SwiftDataError.self) { try context.save() } == .conflictingChanges)
      #expect(try ModelContext(context.container).fetch(all).map(\.weight) == [10, 11, 12])
      context.rollback()
      freights[1].price = 2
      try context.save()
      context.conflictPolicy = .mergeByProperty(keeping: .ours)
      freights[1].note = "ours"
      try context.save()
      let merged = try ModelContext(context.container).fetch(all)[1]
      #expect(merged.note == "ours" && merged.weight == 11 && merged.price == 2)

      foreign.delete(theirs[2])
      try foreign.save()
      context.conflictPolicy = .throwError
      freights[2].weight = 1
      #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Freight>()) == 2)
    }

    @Test("a save compares values of all types with the columns")
    func kinds() throws {
      let freight = Freight("kinds", weight: 1)
      context.insert(freight)
      try context.save()
      let changes: [() -> Void] = [
        { freight.price = 1.5 }, { freight.price = -0.0 }, { freight.price = .nan }, { freight.price = .infinity },
        { freight.total = Decimal(string: "1.10") }, { freight.total = nil }, { freight.code = .max },
        { freight.code = 0 },
        { freight.mark = UUID() }, { freight.mark = nil }, { freight.data = Data([0, 1]) }, { freight.data = Data() },
        { freight.note = "cafe\u{301}" }, { freight.note = "a\u{0}b" }, { freight.note = "" }, { freight.note = nil },
        { freight.site = URL(string: "https://example.org/?a=b") }, { freight.site = nil }, { freight.kind = .express },
        { freight.kind = .slow }, { freight.isFragile = nil }, { freight.isFragile = true },
      ]
      for (index, change) in changes.enumerated() {
        let trips = try roundTrips {
          change()
          try context.save()
        }
        // If the old value differs from its stored form, such as -0.0 or a decomposed text, the save reads and compares
        // the value before it writes. This takes a second round trip.
        #expect((trips == 1) == ![2, 13, 14].contains(index), "change \(index)")
      }
      #expect(try theirs("kinds").kind == .slow)
    }
  }

  @Model
  final class Freight {
    @Attribute(.unique) var name: String
    var weight: Int
    var note: String?
    var arrival: Date?
    var isFragile: Bool? = false
    var price = 0.0
    var total: Decimal?
    var code: UInt64 = 7
    var mark: UUID?
    var data = Data()
    var site: URL?
    var kind = FreightKind.slow
    @Relationship(deleteRule: .nullify, inverse: \Wagon.freight) var wagons: [Wagon] = []
    @Relationship var passes: [Freight] = []

    init(_ name: String, weight: Int) {
      self.name = name
      self.weight = weight
    }
  }

  enum FreightKind: String, Codable { case slow, express }

  @Model
  final class Wagon {
    var label: String
    var freight: Freight?

    init(_ label: String) {
      self.label = label
    }
  }
#endif

#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  /// The engine inserts so many rows by COPY.
  @Suite("Inserting a thousand rows in PostgreSQL")
  struct CopiedRowsTests {
    private let container: ModelContainer
    private let context: ModelContext
    /// A context of a second container of the same store, which acts as another process.
    private let foreign: ModelContext

    init() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Copies \(UUID().uuidString)"
      configuration.maximumConnections = 2
      func open() throws -> ModelContainer {
        try ModelContainer(
          for: Specimen.self, Freight.self, Wagon.self, Holder.self, Holding.self, Ship.self,
          configurations: configuration)
      }
      container = try open()
      context = ModelContext(container)
      foreign = ModelContext(try open())
    }

    private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
      try ModelContext(container).fetchCount(FetchDescriptor<Model>())
    }

    private func specimen(_ code: Int) -> Specimen {
      let specimen = Specimen(code)
      specimen.name = code.isMultiple(of: 3) ? "cafe\u{301} \(code)" : "a\u{0}\(code)"
      specimen.nickname = code.isMultiple(of: 2) ? nil : "\u{1F600}"
      specimen.rest = code.isMultiple(of: 5) ? nil : -code
      specimen.size = .max - UInt64(code)
      specimen.weight = code.isMultiple(of: 7) ? -0.0 : Double(code) / 3
      specimen.ratio = code.isMultiple(of: 11) ? .nan : nil
      specimen.price = Decimal(code) / 8
      specimen.discount = code.isMultiple(of: 13) ? .nan : nil
      specimen.isGood = code.isMultiple(of: 2)
      specimen.bytes = Data(repeating: UInt8(code % 256), count: code % 5)
      specimen.tags = ["t\(code)"]
      specimen.notes = ["n": code]
      return specimen
    }

    /// All values of the object, with the exact scalars of texts and the sign of zero.
    private func words(_ specimen: Specimen) -> [String] {
      let numbers = [
        "\(specimen.code)", "\(String(describing: specimen.rest))", "\(specimen.size)", "\(specimen.weight)",
        "\(String(describing: specimen.ratio))", "\(specimen.price)", "\(String(describing: specimen.discount))",
        "\(String(describing: specimen.isGood))", "\(specimen.date)", "\(specimen.maturity)",
      ]
      let others = [
        "\(Array(specimen.name.utf8))", specimen.nickname ?? "nil", "\(Array(specimen.bytes))", "\(specimen.tags)",
        "\(specimen.notes)", "\(specimen.token)", "\(specimen.link)",
      ]
      return numbers + others
    }

    @Test("the rows have values of every type, including nil, and texts as they were written")
    func everyForm() throws {
      for code in 0..<1_100 { context.insert(specimen(code)) }
      try context.save()
      let found = try foreign.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.code)]))
      #expect(found.count == 1_100)
      for (code, found) in found.enumerated() {
        let isSame = words(found) == words(specimen(code))
        #expect(isSame, "specimen \(code)")
      }
    }

    @Test("the rows have their class and their references to each other")
    func classesAndReferences() throws {
      let holder = Holder("h")
      context.insert(holder)
      for number in 0..<1_000 {
        let ship = Ship("s\(number)", mark: "\(number)")
        context.insert(ship)
        ship.holder = holder
        context.insert(Holding("h\(number)"))
      }
      try context.save()
      #expect(try count(Ship.self) == 1_000)
      #expect(try count(Holding.self) == 2_000)
      let their = try #require(try foreign.fetch(FetchDescriptor<Holder>()).first)
      #expect(their.holdings.count == 1_000)
    }

    @Test("inserted objects update the rows that have the same unique values")
    func upserts() throws {
      foreign.insert(Freight("f7", weight: 1))
      foreign.insert(Freight("f999", weight: 1))
      try foreign.save()
      for number in 0..<1_000 { context.insert(Freight("f\(number)", weight: 50)) }
      try context.save()
      #expect(try count(Freight.self) == 1_000)
      let heavy = FetchDescriptor<Freight>(predicate: #Predicate { $0.weight == 50 })
      #expect(try ModelContext(container).fetchCount(heavy) == 1_000)
    }

    @Test("no row is stored if another part of the save throws")
    func undone() throws {
      let freight = Freight("f", weight: 1)
      context.insert(freight)
      try context.save()
      try #require(try foreign.fetch(FetchDescriptor<Freight>()).first).weight = 2
      try foreign.save()
      freight.weight = 3
      for number in 0..<1_000 { context.insert(Wagon("w\(number)")) }
      context.conflictPolicy = .throwError
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .conflictingChanges)
      #expect(try count(Wagon.self) == 0)
      context.conflictPolicy = .mergeByProperty(keeping: .ours)
      try context.save()
      #expect(try count(Wagon.self) == 1_000)
    }
  }
#endif

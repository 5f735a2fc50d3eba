#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Suite("Deleting objects in PostgreSQL")
  struct PipelinedDeletionTests {
    private let container: ModelContainer
    private let context: ModelContext
    /// A context of a second container of the same store, which acts as another process.
    private let foreign: ModelContext

    init() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Deletions \(UUID().uuidString)"
      configuration.maximumConnections = 2
      func open() throws -> ModelContainer {
        try ModelContainer(
          for: Pallet.self, Shed.self, Crate.self, Porter.self, Lamp.self, Dimmer.self, Branch.self,
          configurations: configuration)
      }
      container = try open()
      context = ModelContext(container)
      foreign = ModelContext(try open())
    }

    /// Saves, and returns the number of times that the save waits for the server.
    private func roundTripsOfSave(of context: ModelContext? = nil) throws -> Int {
      let context = context ?? self.context
      let engine = try #require(context.stores.stores.first?.engine as? PostgresStoreEngine)
      let before = engine.roundTrips
      try context.save()
      return engine.roundTrips - before
    }

    private func insert<Model: PersistentModel>(_ models: [Model]) throws -> [Model] {
      for model in models { context.insert(model) }
      try context.save()
      return models
    }

    private func pallets(_ codes: String...) throws -> [Pallet] { try insert(codes.map { Pallet($0) }) }

    /// Inserts a shed with two crates and two porters.
    private func shed(_ name: String) throws -> Shed {
      let shed = Shed(name)
      context.insert(shed)
      shed.crates = [Crate("\(name)1"), Crate("\(name)2")]
      shed.porters = [Porter("\(name)1"), Porter("\(name)2")]
      try context.save()
      return shed
    }

    private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
      try ModelContext(container).fetchCount(FetchDescriptor<Model>())
    }

    private func their<Model: PersistentModel>(_ model: Model) throws -> Model {
      try #require(foreign.model(for: model.persistentModelID) as? Model)
    }

    @Test(
      "a deletion takes one round trip, of one row or many, with new and changed rows, or with a reused unique value"
    )
    func oneRoundTrip() throws {
      let all = try pallets("a", "b", "c", "d", "e", "f")
      context.delete(all[0])
      #expect(try roundTripsOfSave() == 1)
      for pallet in all[1...3] { context.delete(pallet) }
      context.insert(Pallet("c"))
      all[4].weight = 7
      #expect(try roundTripsOfSave() == 1)
      let left = try foreign.fetch(FetchDescriptor<Pallet>(sortBy: [SortDescriptor(\.code)]))
      #expect(left.map(\.code) == ["c", "e", "f"])
      #expect(left.map(\.weight) == [0.5, 7, 0.5])
    }

    @Test("a deletion cascades to rows that the context knows, and clears references, in the same round trip")
    func knownReferences() throws {
      let sheds = [try shed("a"), try shed("b"), try shed("c")]
      context.delete(sheds[0])
      #expect(try roundTripsOfSave() == 1)
      #expect(try count(Crate.self) == 4)
      context.delete(sheds[1])
      context.delete(sheds[2])
      #expect(try roundTripsOfSave() == 1)
      #expect(try count(Shed.self) == 0)
      #expect(try count(Crate.self) == 0)
      let porters = try ModelContext(container).fetch(FetchDescriptor<Porter>())
      #expect(porters.count == 6)
      #expect(porters.allSatisfy { $0.shed == nil })
    }

    @Test("a deletion cascades, in a further round trip, to a row that another process has related since")
    func unknownReferences() throws {
      let shed = try shed("a")
      context.delete(shed)
      let their = try their(shed)
      foreign.insert(Crate("theirs", in: their))
      let porter = Porter("theirs")
      foreign.insert(porter)
      porter.shed = their
      try foreign.save()
      #expect(try roundTripsOfSave() > 1)
      #expect(try count(Shed.self) == 0)
      #expect(try count(Crate.self) == 0)
      let porters = try ModelContext(container).fetch(FetchDescriptor<Porter>())
      #expect(porters.count == 3)
      #expect(porters.allSatisfy { $0.shed == nil })
    }

    @Test("a deletion clears references of rows that the context has read, and of rows that it has not read")
    func oneWayReferences() throws {
      let lamps = try insert([Lamp("a"), Lamp("b")])
      let dimmer = Dimmer("mine", of: lamps[1])
      context.insert(dimmer)
      try context.save()
      context.delete(lamps[1])
      #expect(try roundTripsOfSave() == 1)
      #expect(dimmer.lamp == nil)
      foreign.insert(Dimmer("theirs", of: try their(lamps[0])))
      try foreign.save()
      context.delete(lamps[0])
      #expect(try roundTripsOfSave() > 1)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Dimmer>()).allSatisfy { $0.lamp == nil })
      #expect(try count(Lamp.self) == 0)
      #expect(try count(Dimmer.self) == 2)
    }

    @Test(
      "of more rows than one statement can delete is several statements in one round trip", .timeLimit(.minutes(10)))
    func manyRows() throws {
      let all = try insert((0..<10_050).map { Lamp("\($0)") })
      let their = try their(all[10_020])
      their.name = "theirs"
      try foreign.save()
      for lamp in all { context.delete(lamp) }
      context.conflictPolicy = .throwError
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .conflictingChanges)
      #expect(try count(Lamp.self) == 10_050)
      context.rollback()
      let again = try context.fetch(FetchDescriptor<Lamp>())
      for lamp in again { context.delete(lamp) }
      // After a save that threw, the next save may query the server before it writes. So its round trips are not
      // checked.
      try context.save()
      #expect(try count(Lamp.self) == 0)
      for lamp in try insert((0..<10_050).map { Lamp("\($0)") }) { context.delete(lamp) }
      #expect(try roundTripsOfSave() == 1)
      #expect(try count(Lamp.self) == 0)
    }

    @Test("a deletion cascades through a tree in one round trip")
    func tree() throws {
      let root = Branch("root")
      context.insert(root)
      let twigs = (0..<3).map { Branch("twig \($0)", of: root) }
      for twig in twigs { context.insert(Branch("leaf", of: twig)) }
      context.insert(Branch("other"))
      try context.save()
      context.delete(root)
      #expect(try roundTripsOfSave() == 1)
      #expect(try count(Branch.self) == 1)
    }

    @Test(
      "detects, in each kind of statement, that another process has changed the row since it was read", arguments: 0..<3
    )
    func missInTurn(place: Int) throws {
      let (pallet, shed) = (try pallets("a", "b"), try shed("s"))
      let crate = try #require(shed.crates.first)
      context.delete(pallet[0])
      context.delete(pallet[1])
      context.delete(shed)
      let changes: [() throws -> Void] = [
        { try self.their(pallet[1]).note = "theirs" }, { try self.their(shed).size = 99 },
        { try self.their(crate).label = "theirs" },
      ]
      try changes[place]()
      try foreign.save()
      context.conflictPolicy = .throwError
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .conflictingChanges)
      #expect(try count(Pallet.self) == 2)
      #expect(try count(Shed.self) == 1)
      #expect(try count(Crate.self) == 2)
      // The deletion overrides the change of the other process, as an update would, and the context reports the
      // conflict.
      context.conflictPolicy = .mergeByProperty(keeping: .ours)
      try context.save()
      #expect(context.resolvedConflicts.map(\.entityName) == [["Pallet"], ["Shed"], ["Crate"]][place])
      #expect(try count(Pallet.self) + count(Shed.self) + count(Crate.self) == 0)
    }

    @Test("deleting a row that another process has deleted has no effect, and the rest of the save succeeds")
    func deletedTwice() throws {
      let all = try pallets("a", "b", "c")
      foreign.delete(try their(all[1]))
      try foreign.save()
      for pallet in all { context.delete(pallet) }
      #expect(try roundTripsOfSave() > 1)
      #expect(try count(Pallet.self) == 0)
    }

    @Test(
      "deleting a row whose value differs from its stored form reads first; a row with unsaved changes can be deleted")
    func otherForms() throws {
      let all = try pallets("cafe\u{301}", "zero", "changed")
      all[1].weight = -0.0
      try context.save()
      for pallet in all[0...1] {
        context.delete(pallet)
        #expect(try roundTripsOfSave() > 1)
      }
      all[2].weight = 3
      context.delete(all[2])
      try context.save()
      #expect(try count(Pallet.self) == 0)
    }

    @Test("a deletion detects that another process has changed a text to one with the same stored form")
    func sameStoredForm() throws {
      let all = try pallets("a", "b", "c")
      for pallet in all { pallet.note = "K" }
      try context.save()
      // The Kelvin sign differs from the letter K, but is stored as K.
      for pallet in all { try their(pallet).note = "\u{212A}" }
      try foreign.save()
      context.delete(all[0])
      #expect(try roundTripsOfSave() > 1)
      for pallet in all[1...] { context.delete(pallet) }
      #expect(try roundTripsOfSave() > 1)
      #expect(try count(Pallet.self) == 0)
    }

    @Test("a deletion records the preserved values of the deleted rows in the same round trip")
    func history() throws {
      let store = try HistoryStore()
      let context = try store.context("one")
      let entry = Entry("t")
      context.insert(entry)
      for text in ["a", "b"] { context.insert(Line(text, of: entry)) }
      try context.save()
      context.delete(entry)
      #expect(try roundTripsOfSave(of: context) == 1)
      let changes = try context.transactions().last?.changes ?? []
      #expect(changes.count == 3)
      var kept: Set<String> = []
      for case .delete(let deletion) in changes {
        if let line = deletion as? DefaultHistoryDelete<Line> { kept.insert(line.tombstone[\.text] as? String ?? "") }
        if let entry = deletion as? DefaultHistoryDelete<Entry> {
          kept.insert(entry.tombstone[\.title] as? String ?? "")
        }
      }
      #expect(kept == ["a", "b", "t"])
    }
  }

  @Model
  final class Pallet {
    @Attribute(.unique) var code: String
    var weight = 0.5
    var note: String?
    var arrival = Date.now
    var total: Decimal?
    var serial: UInt64 = .max
    var mark: UUID? = UUID()

    init(_ code: String) { self.code = code }
  }

  @Model
  final class Shed {
    var name: String
    var size = 1
    @Relationship(deleteRule: .cascade, inverse: \Crate.shed) var crates: [Crate] = []
    @Relationship(deleteRule: .nullify, inverse: \Porter.shed) var porters: [Porter] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Crate {
    var label: String
    var shed: Shed?

    init(_ label: String, in shed: Shed? = nil) {
      self.label = label
      self.shed = shed
    }
  }

  @Model
  final class Porter {
    var name: String
    var shed: Shed?

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Lamp {
    var name: String

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Dimmer {
    var name: String
    @Relationship var lamp: Lamp?

    init(_ name: String, of lamp: Lamp) {
      self.name = name
      self.lamp = lamp
    }
  }

  @Model
  final class Branch {
    var name: String
    var parent: Branch?
    @Relationship(deleteRule: .cascade, inverse: \Branch.parent) var branches: [Branch] = []

    init(_ name: String, of parent: Branch? = nil) {
      self.name = name
      self.parent = parent
    }
  }
#endif

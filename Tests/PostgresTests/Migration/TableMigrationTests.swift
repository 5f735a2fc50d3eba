#if PostgreSQL
  import Foundation
  import PersistenceCore
  import Testing

  private enum Apart {
    @Model final class Harbour {
      var name: String
      @Relationship(inverse: \Vessel.harbour) var vessels: [Vessel] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Vessel {
      var name: String
      var harbour: Harbour?
      var pilots: [Pilot] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Lorry {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Pilot {
      var name: String
      @Relationship(inverse: \Vessel.pilots) var vessels: [Vessel] = []
      init(_ name: String) { self.name = name }
    }
    static let models: [any PersistentModel.Type] = [Harbour.self, Vessel.self, Lorry.self, Pilot.self]
  }

  /// Two entities get a common superclass. So their rows move into one table, and some of them get new keys.
  private enum Together {
    @Model class Carrier {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Harbour {
      var name: String
      @Relationship(inverse: \Vessel.harbour) var vessels: [Vessel] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Vessel: Carrier {
      var harbour: Harbour?
      var pilots: [Pilot] = []
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Lorry: Carrier {
      var wheels: Int = 4
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Pilot {
      var name: String
      @Relationship(inverse: \Vessel.pilots) var vessels: [Vessel] = []
      init(_ name: String) { self.name = name }
    }
    static let models: [any PersistentModel.Type] = [
      Carrier.self, Harbour.self, Vessel.self, Lorry.self, Pilot.self,
    ]
  }

  /// Removes an entity that others refer to, makes a to-one relationship to-many, and changes a delete rule.
  private enum Without {
    @Model final class Harbour {
      @Attribute(originalName: "name") var title: String
      @Relationship(deleteRule: .cascade, inverse: \Vessel.harbours) var vessels: [Vessel] = []
      init(_ title: String) { self.title = title }
    }
    @Model final class Vessel {
      var name: String
      @Relationship(originalName: "harbour") var harbours: [Harbour] = []
      init(_ name: String) { self.name = name }
    }
    static let models: [any PersistentModel.Type] = [Harbour.self, Vessel.self]
  }

  private enum Renamed {
    @Model(originalName: "Harbour") final class Port {
      var name: String
      @Relationship(inverse: \Vessel.harbour) var vessels: [Vessel] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Vessel {
      var name: String
      var harbour: Port?
      @Relationship(originalName: "pilots") var crew: [Pilot] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Lorry {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Pilot {
      var name: String
      @Relationship(inverse: \Vessel.crew) var vessels: [Vessel] = []
      init(_ name: String) { self.name = name }
    }
    static let models: [any PersistentModel.Type] = [Port.self, Vessel.self, Lorry.self, Pilot.self]
  }

  @Suite("Migrations of tables and relationships on a server")
  struct PostgresTableMigrationTests {
    private func store() throws -> ServerStore {
      let store = try ServerStore()
      try store.use(Apart.models) { context in
        let harbour = Apart.Harbour("Bergen")
        context.insert(harbour)
        for name in ["Lorry e\u{301}", "Other"] { context.insert(Apart.Lorry(name)) }
        let (first, second) = (Apart.Vessel("First"), Apart.Vessel("Second"))
        harbour.vessels = [second, first]
        let pilots = ["Ann", "Bob", "Cid"].map { Apart.Pilot($0) }
        first.pilots = [pilots[2], pilots[0], pilots[1]]
        second.pilots = [pilots[1]]
      }
      return store
    }

    @Test(
      "rows move into one table together with their references, join rows, list positions and original texts")
    func merged() throws {
      let store = try store()
      try store.migrate(to: Together.models) { context in
        let harbour = try #require(try context.fetch(FetchDescriptor<Together.Harbour>()).first)
        #expect(harbour.vessels.map(\.name) == ["Second", "First"])
        #expect(harbour.vessels.map { $0.pilots.map(\.name) } == [["Bob"], ["Cid", "Ann", "Bob"]])
        let lorries = try context.fetch(FetchDescriptor<Together.Lorry>(sortBy: [SortDescriptor(\.name)]))
        #expect(lorries.map { scalars($0.name) } == ["Lorry e\u{301}", "Other"].map { scalars($0) })
        #expect(lorries.map(\.wheels) == [4, 4])
        #expect(try context.fetchCount(FetchDescriptor<Together.Carrier>()) == 4)
        // New rows and join rows get unused keys and numbers, so a new list member is the last one.
        let third = Together.Vessel("Third")
        context.insert(third)
        harbour.vessels.append(third)
        let dan = Together.Pilot("Dan")
        harbour.vessels[1].pilots.append(dan)
        context.insert(Together.Lorry("New"))
        try context.save()
        let fresh = ModelContext(context.container)
        let again = try #require(try fresh.fetch(FetchDescriptor<Together.Harbour>()).first)
        #expect(again.vessels.map(\.name) == ["Second", "First", "Third"])
        #expect(again.vessels[1].pilots.map(\.name) == ["Cid", "Ann", "Bob", "Dan"])
      }
      // The migration back moves the rows into separate tables.
      try store.migrate(to: Apart.models) { context in
        let harbour = try #require(try context.fetch(FetchDescriptor<Apart.Harbour>()).first)
        #expect(harbour.vessels.map(\.name) == ["Second", "First", "Third"])
        #expect(harbour.vessels[1].pilots.map(\.name) == ["Cid", "Ann", "Bob", "Dan"])
        #expect(try context.fetchCount(FetchDescriptor<Apart.Lorry>()) == 3)
      }
    }

    @Test("an entity and a relationship are renamed, together with their tables and original texts")
    func renamed() throws {
      let store = try store()
      try store.migrate(to: Renamed.models) { context in
        let port = try #require(try context.fetch(FetchDescriptor<Renamed.Port>()).first)
        #expect(port.name == "Bergen" && port.vessels.map(\.name) == ["Second", "First"])
        #expect(port.vessels.map { $0.crew.map(\.name) } == [["Bob"], ["Cid", "Ann", "Bob"]])
        port.vessels[0].crew.append(Renamed.Pilot("Dan"))
        try context.save()
        let again = try ModelContext(context.container).fetch(FetchDescriptor<Renamed.Port>())
        #expect(again.first?.vessels.first?.crew.map(\.name) == ["Bob", "Dan"])
      }
    }

    @Test("an entity is removed, and a reference becomes join rows; existing join rows keep their positions")
    func removed() throws {
      let store = try store()
      try store.migrate(to: Without.models) { context in
        let harbour = try #require(try context.fetch(FetchDescriptor<Without.Harbour>()).first)
        #expect(harbour.title == "Bergen" && harbour.vessels.map(\.name) == ["Second", "First"])
        let vessel = Without.Vessel("Third")
        harbour.vessels.append(vessel)
        try context.save()
        let again = try ModelContext(context.container).fetch(FetchDescriptor<Without.Harbour>())
        #expect(again.first?.vessels.map(\.name) == ["Second", "First", "Third"])
      }
      #expect(try store.catalog().tables.filter { !$0.hasPrefix("_osd_") } == ["Harbour", "Vessel"])
    }

    @Test("if a class that shares a table is removed, its rows and the references to them are deleted")
    func removedClass() throws {
      let store = try ServerStore()
      try store.use([Fleet.Part.self, Fleet.Mast.self, Fleet.Sail.self, Fleet.Owner.self]) { context in
        let owner = Fleet.Owner("o")
        context.insert(owner)
        owner.favourite = Fleet.Mast("mast")
        owner.parts = [Fleet.Mast("other"), Fleet.Sail("sail")]
        let second = Fleet.Owner("p")
        context.insert(second)
        second.favourite = Fleet.Sail("kept")
      }
      try store.migrate(to: [Mastless.Part.self, Mastless.Sail.self, Mastless.Owner.self]) { context in
        let owners = try context.fetch(FetchDescriptor<Mastless.Owner>(sortBy: [SortDescriptor(\.name)]))
        #expect(owners.map { $0.favourite?.name } == [nil, "kept"])
        #expect(owners[0].parts.map(\.name) == ["sail"])
        #expect(try context.fetchCount(FetchDescriptor<Mastless.Part>()) == 2)
      }
    }

    @Test("if a required reference refers to a missing row, the error names the row, and nothing changes")
    func broken() throws {
      let store = try ServerStore()
      try store.use([Loose.Anchor.self, Loose.Chain.self]) { context in
        context.insert(Loose.Chain("c", Loose.Anchor("a")))
      }
      // With this delete rule the column has no foreign key, so the reference to a missing row is accepted.
      try store.catalog().connection.execute(
        "SET search_path TO \"\(store.configuration.namespace)\"; UPDATE \"Chain\" SET anchor = 99")
      let error = try store.refusal(of: [Firm.Anchor.self, Firm.Chain.self])
      #expect(
        error == .modelValidationFailure && "\(error)".contains("Chain.anchor of row 1, to Anchor lead to nothing"))
    }

    @Test("values with external storage stay unchanged, because a server stores them in the rows")
    func external() throws {
      let store = try ServerStore()
      let bytes = Data(repeating: 7, count: 100_000)
      try store.use([Outside.Plan.self]) { $0.insert(Outside.Plan(bytes)) }
      try store.migrate(to: [Inside.Plan.self]) { context in
        let pictures = try context.fetch(FetchDescriptor<Inside.Plan>()).map(\.picture)
        #expect(pictures == [bytes])
      }
    }
  }

  private enum Fleet {
    @Model class Part {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Mast: Part {
      var height = 1
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Sail: Part {
      var area = 2
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Owner {
      var name: String
      @Relationship(inverse: nil) var favourite: Part?
      @Relationship(inverse: nil) var parts: [Part] = []
      init(_ name: String) { self.name = name }
    }
  }

  private enum Mastless {
    @Model class Part {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Sail: Part {
      var area = 2
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Owner {
      var name: String
      @Relationship(inverse: nil) var favourite: Part?
      @Relationship(inverse: nil) var parts: [Part] = []
      init(_ name: String) { self.name = name }
    }
  }

  private enum Loose {
    @Model final class Anchor {
      var name: String
      @Relationship(deleteRule: .noAction, inverse: \Chain.anchor) var chains: [Chain] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Chain {
      var name: String
      var anchor: Anchor
      init(_ name: String, _ anchor: Anchor) { (self.name, self.anchor) = (name, anchor) }
    }
  }

  private enum Firm {
    @Model final class Anchor {
      var name: String
      @Relationship(deleteRule: .deny, inverse: \Chain.anchor) var chains: [Chain] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Chain {
      var name: String
      var anchor: Anchor
      init(_ name: String, _ anchor: Anchor) { (self.name, self.anchor) = (name, anchor) }
    }
  }

  private enum Outside {
    @Model final class Plan {
      @Attribute(.externalStorage) var picture: Data
      init(_ picture: Data) { self.picture = picture }
    }
  }

  private enum Inside {
    @Model final class Plan {
      var picture: Data
      init(_ picture: Data) { self.picture = picture }
    }
  }
#endif

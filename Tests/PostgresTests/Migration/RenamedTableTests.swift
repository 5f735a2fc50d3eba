#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import Testing

  private enum Quays {
    @Model final class Quay {
      @Attribute(.unique) var name: String
      var depth: Int = 1
      @Relationship(inverse: \Tug.quay) var tugs: [Tug] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Tug {
      var name: String
      var quay: Quay?
      var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Sailor {
      var name: String
      @Relationship(inverse: \Tug.crew) var tugs: [Tug] = []
      init(_ name: String) { self.name = name }
    }
    static let models: [any PersistentModel.Type] = [Quay.self, Tug.self, Sailor.self]
  }

  /// Two entities are renamed. In addition, a column of one of them gets another name and type.
  private enum Piers {
    @Model(originalName: "Quay") final class Pier {
      @Attribute(.unique) var name: String
      @Attribute(originalName: "depth") var water: Double = 1
      @Relationship(inverse: \Tug.quay) var tugs: [Tug] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Tug {
      var name: String
      var quay: Pier?
      var crew: [Hand] = []
      init(_ name: String) { self.name = name }
    }
    @Model(originalName: "Sailor") final class Hand {
      var name: String
      @Relationship(inverse: \Tug.crew) var tugs: [Tug] = []
      init(_ name: String) { self.name = name }
    }
    static let models: [any PersistentModel.Type] = [Pier.self, Tug.self, Hand.self]
  }

  /// An entity is renamed, and in the same migration a new entity gets its former name.
  private enum Reused {
    @Model(originalName: "Quay") final class Pier {
      @Attribute(.unique) var name: String
      var depth: Int = 1
      @Relationship(inverse: \Tug.pier) var tugs: [Tug] = []
      init(_ name: String) { self.name = name }
    }
    @Model(originalName: "Landing") final class Quay {
      var code: Int
      @Relationship(inverse: \Tug.quay) var tugs: [Tug] = []
      init(_ code: Int) { self.code = code }
    }
    @Model final class Tug {
      var name: String
      @Relationship(originalName: "quay") var pier: Pier?
      @Relationship(originalName: "landing") var quay: Quay?
      var crew: [Sailor] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Sailor {
      var name: String
      @Relationship(inverse: \Tug.crew) var tugs: [Tug] = []
      init(_ name: String) { self.name = name }
    }
    static let models: [any PersistentModel.Type] = [Pier.self, Quay.self, Tug.self, Sailor.self]
  }

  private enum Pair {
    @Model final class Bollard {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Cleat {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  private enum Exchanged {
    @Model(originalName: "Cleat") final class Bollard {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model(originalName: "Bollard") final class Cleat {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  @Suite("Renaming entities on a server")
  struct PostgresRenamedTableTests {
    private func store() throws -> ServerStore {
      let store = try ServerStore()
      try store.use(Quays.models) { context in
        let (north, south) = (Quays.Quay("nord e\u{301}"), Quays.Quay("south"))
        for quay in [north, south] { context.insert(quay) }
        north.depth = 7
        north.tugs = ["b", "a"].map { Quays.Tug($0) }
        let sailors = ["Ann", "Bob"].map { Quays.Sailor($0) }
        north.tugs[0].crew = [sailors[1], sailors[0]]
      }
      return store
    }

    /// The file names of tables and indexes on the server. A file name changes when the server rebuilds the table or
    /// index or rewrites all rows.
    private func files(_ store: ServerStore, _ names: [String]) throws -> [String?] {
      try names.flatMap { name in
        try store.catalog().rows("SELECT pg_relation_filenode('\"\(name)\"'::regclass)::int8").map(\.[0])
      }
    }

    @Test("a renamed entity keeps its table, rows, indexes and original texts, and references still refer to its rows")
    func renamed() throws {
      let store = try store()
      let before = try files(store, ["Sailor"])
      let table = try store.catalog().rows("SELECT '\"Quay\"'::regclass::oid::int8")
      let statements = try store.statements(to: Piers.models)
      #expect(statements.contains { $0.contains("\"Quay\" RENAME TO \"Pier\"") })
      let copies = statements.filter { $0.hasPrefix("INSERT INTO \"\(store.configuration.namespace)\".\"") }
      #expect(copies.allSatisfy { $0.contains("\"_osd_sequence\"") }, "\(copies)")
      try store.migrate(to: Piers.models) { context in
        let piers = try context.fetch(FetchDescriptor<Piers.Pier>(sortBy: [SortDescriptor(\.name)]))
        #expect(piers.map { scalars($0.name) } == ["nord e\u{301}", "south"].map { scalars($0) })
        #expect(piers.map(\.water) == [7, 1])
        #expect(piers[0].tugs.map(\.name) == ["b", "a"])
        #expect(piers[0].tugs[0].crew.map(\.name) == ["Bob", "Ann"])
        let known = Set(piers.map(\.persistentModelID))
        let new = Piers.Pier("new")
        context.insert(new)
        new.tugs = [piers[0].tugs[1]]
        try context.save()
        #expect(!known.contains(new.persistentModelID))
        // After the migration, the database still clears references to a deleted row.
        context.delete(piers[0])
        try context.save()
        let fresh = ModelContext(context.container)
        let tugs = try fresh.fetch(FetchDescriptor<Piers.Tug>(sortBy: [SortDescriptor(\.name)]))
        #expect(tugs.map { $0.quay?.name } == ["new", nil])
      }
      #expect(try files(store, ["Hand"]) == before)
      #expect(try store.catalog().rows("SELECT '\"Pier\"'::regclass::oid::int8") == table)
    }

    @Test("indexes are kept if their columns are unchanged")
    func indexes() throws {
      let store = try store()
      let before = try files(store, ["Quay", "_osd_unique_Quay_name"])
      try store.migrate(to: Reused.models) { context in
        context.insert(Reused.Pier("first"))
        context.insert(Reused.Pier("first"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Reused.Pier>()) == 3)
      }
      #expect(try files(store, ["Pier", "_osd_unique_Pier_name"]) == before)
    }

    @Test("a new entity can get the former name of a renamed entity, and begins without rows")
    func reused() throws {
      let store = try store()
      try store.migrate(to: Reused.models) { context in
        let tugs = try context.fetch(FetchDescriptor<Reused.Tug>(sortBy: [SortDescriptor(\.name)]))
        #expect(tugs.map { scalars($0.pier?.name) } == [scalars("nord e\u{301}"), scalars("nord e\u{301}")])
        #expect(tugs.allSatisfy { $0.quay == nil })
        #expect(try context.fetchCount(FetchDescriptor<Reused.Quay>()) == 0)
        tugs[0].quay = Reused.Quay(3)
        try context.save()
        let fresh = ModelContext(context.container)
        let again = try fresh.fetch(FetchDescriptor<Reused.Tug>(sortBy: [SortDescriptor(\.name)]))
        #expect(again.map { $0.quay?.code } == [3, nil])
        #expect(again.allSatisfy { $0.pier != nil })
      }
      #expect(try store.catalog().rows("SELECT count(_osd_originals) FROM \"Pier\"") == [["1"]])
    }

    @Test("two entities can exchange their names")
    func exchanged() throws {
      let store = try ServerStore()
      try store.use([Pair.Bollard.self, Pair.Cleat.self]) { context in
        for name in ["a", "b"] { context.insert(Pair.Bollard(name)) }
        context.insert(Pair.Cleat("c"))
      }
      try store.migrate(to: [Exchanged.Bollard.self, Exchanged.Cleat.self]) { context in
        let cleats = try context.fetch(FetchDescriptor<Exchanged.Cleat>(sortBy: [SortDescriptor(\.name)]))
        #expect(cleats.map(\.name) == ["a", "b"])
        #expect(try context.fetch(FetchDescriptor<Exchanged.Bollard>()).map(\.name) == ["c"])
      }
    }
  }
#endif

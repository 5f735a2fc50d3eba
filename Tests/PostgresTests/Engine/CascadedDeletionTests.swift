#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  /// The deleting context has not read the list of the owner, so the children have no objects.
  @Suite("Deletions in PostgreSQL that cascade to rows without objects", .timeLimit(.minutes(10)))
  struct CascadedDeletionTests {
    private func configuration(keepsHistory: Bool) throws -> PostgresConfiguration {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Cascades \(UUID().uuidString)"
      configuration.maximumConnections = 2
      configuration.history = keepsHistory ? .standard : .off
      return configuration
    }

    private func open(_ configuration: PostgresConfiguration) throws -> ModelContainer {
      try ModelContainer(
        for: Hive.self, Bee.self, Nest.self, Egg.self, Twig.self, configurations: configuration)
    }

    /// Saves hives with three bees each.
    private func insertHives(_ names: String..., into context: ModelContext) throws {
      for name in names {
        let hive = Hive(name)
        context.insert(hive)
        hive.bees = (0..<3).map { Bee("\(name)\($0)") }
      }
      try context.save()
    }

    private func hive(_ name: String, of context: ModelContext) throws -> Hive {
      try #require(try context.fetch(FetchDescriptor<Hive>(predicate: #Predicate { $0.name == name })).first)
    }

    private func bee(_ name: String, of context: ModelContext) throws -> Bee {
      try #require(try context.fetch(FetchDescriptor<Bee>(predicate: #Predicate { $0.name == name })).first)
    }

    private func bees(_ container: ModelContainer) throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<Bee>()).map(\.name).sorted()
    }

    /// Saves, and returns the number of times that the save waits for the server.
    private func roundTripsOfSave(of context: ModelContext) throws -> Int {
      let engine = try #require(context.stores.stores.first?.engine as? PostgresStoreEngine)
      let before = engine.roundTrips
      try context.save()
      return engine.roundTrips - before
    }

    @Test(
      "the save that deletes an owner takes no further round trip if one child has an object", arguments: [false, true])
    func oneObject(keepsHistory: Bool) throws {
      let container = try open(configuration(keepsHistory: keepsHistory))
      try insertHives("a", "b", "c", "d", "e", into: ModelContext(container))
      let context = ModelContext(container)
      var trips: [String: Int] = [:]
      for name in ["a", "b", "c", "d"] {
        var known: [Bee] = []
        if name == "c" { known = [try bee("c1", of: context)] }
        context.delete(try hive(name, of: context))
        trips[name] = try roundTripsOfSave(of: context)
        #expect(known.allSatisfy { $0.isDeleted })
      }
      let (usual, withObject) = (try #require(trips["b"]), try #require(trips["c"]))
      #expect(withObject <= usual)
      // After a repeated save, the engine would check the next saves in further round trips.
      #expect(trips["d"] == usual)
      #expect(context.resolvedConflicts.isEmpty && !context.hasChanges)
      #expect(try bees(container) == ["e0", "e1", "e2"])
    }

    @Test("later saves take one round trip if the server could not compare the row of the deleted owner")
    func incomparableOwner() throws {
      let container = try open(configuration(keepsHistory: false))
      let first = ModelContext(container)
      for name in ["a", "b", "c"] {
        let nest = Nest(name)
        first.insert(nest)
        nest.eggs = (0..<3).map { Egg("\(name)\($0)") }
      }
      for number in 0..<10 { first.insert(Twig("\(number)")) }
      try first.save()
      let context = ModelContext(container)
      let twigs = try context.fetch(FetchDescriptor<Twig>())
      try #require(twigs.count == 10)
      func roundTripsOfChanges() throws -> [Int] {
        try twigs.map { twig in
          twig.name += "x"
          return try roundTripsOfSave(of: context)
        }
      }
      let one = Array(repeating: 1, count: 10)
      #expect(try roundTripsOfChanges() == one)
      for name in ["a", "b"] {
        let nests = try context.fetch(FetchDescriptor<Nest>(predicate: #Predicate { $0.name == name }))
        context.delete(try #require(nests.first))
        try context.save()
        #expect(try roundTripsOfChanges() == one)
      }
      #expect(try ModelContext(container).fetch(FetchDescriptor<Nest>()).map(\.name) == ["c"])
      #expect(try ModelContext(container).fetch(FetchDescriptor<Egg>()).map(\.name).sorted() == ["c0", "c1", "c2"])
    }

    @Test(
      "a changed child that another process moved to the owner is deleted, and the save reports one conflict",
      arguments: [false, true])
    func changedChild(keepsHistory: Bool) throws {
      let configuration = try configuration(keepsHistory: keepsHistory)
      let (container, foreign) = (try open(configuration), ModelContext(try open(configuration)))
      try insertHives("a", "b", into: ModelContext(container))
      let context = ModelContext(container)
      let other = try hive("b", of: context)
      let child = try #require(other.bees.first { $0.name == "b1" })
      context.delete(try hive("a", of: context))
      child.age = 7
      try bee("b1", of: foreign).hive = try hive("a", of: foreign)
      try foreign.save()
      try context.save()
      #expect(child.isDeleted)
      #expect(other.bees.map(\.name).sorted() == ["b0", "b2"])
      #expect(context.resolvedConflicts.map(\.kind) == [.deletedElsewhere])
      #expect(context.resolvedConflicts.map(\.persistentModelID) == [child.persistentModelID])
      #expect(!context.hasChanges)
      #expect(try bees(container) == ["b0", "b2"])
    }

    @Test(
      "didSave lists all children if code that the save of another store runs deletes a new object",
      arguments: [false, true])
    func twoStores(keepsHistory: Bool) throws {
      let (watchedSchema, hiveSchema) = (Schema([Watched.self]), Schema([Hive.self, Bee.self, Twig.self]))
      var configuration = try configuration(keepsHistory: keepsHistory)
      configuration.schema = hiveSchema
      let container = try ModelContainer(
        for: Schema([Watched.self, Hive.self, Bee.self, Twig.self]),
        configurations: [
          ModelConfiguration("watched", schema: watchedSchema, isStoredInMemoryOnly: true), configuration,
        ] as [any DataStoreConfiguration])
      let (here, there) = (ModelContext(container), ModelContext(container))
      try insertHives("a", "b", into: there)
      let known = try hive("a", of: there).bees
      let expected = Set(known.map(\.persistentModelID))
      let twig = Twig("late")
      here.delete(try hive("a", of: here))
      here.insert(twig)
      here.insert(Watched(1))
      let deleted = Log<PersistentIdentifier>()
      let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: here, queue: nil) {
        note in
        let list = note.userInfo?[ModelContext.NotificationKey.deletedIdentifiers.rawValue] as? [PersistentIdentifier]
        for identifier in list ?? [] { deleted.add(identifier) }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      let isRun = Flag()
      // The save runs the code on this thread.
      nonisolated(unsafe) let (unsafeContext, unsafeTwig) = (here, twig)
      try WatchedValue.watch { _ in
        guard !isRun.isRaised else { return }
        isRun.raise()
        unsafeContext.delete(unsafeTwig)
      } during: {
        try here.save()
      }
      #expect(isRun.isRaised && expected.count == 3)
      #expect(expected.isSubset(of: deleted.entries))
      #expect(try there.fetchCount(FetchDescriptor<Bee>()) == 3)
      #expect(known.allSatisfy { $0.isDeleted })
      try here.save()
      #expect(!here.hasChanges)
      #expect(try bees(container) == ["b0", "b1", "b2"])
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Twig>()) == 0)
    }
  }

  /// A model whose deletion also deletes its bees. Bees have no other relationship.
  @Model
  final class Hive {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Bee.hive) var bees: [Bee] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Bee {
    var name: String
    var age = 1
    var hive: Hive?

    init(_ name: String) { self.name = name }
  }

  /// A value that is stored in several columns. The statement of a deletion cannot compare such a value.
  struct Spot: Codable, Hashable {
    var height = 1
    var days = [2, 3]
  }

  /// A model whose deletion also deletes its eggs. The statement of the deletion cannot compare the row.
  @Model
  final class Nest {
    var name: String
    var spot = Spot()
    @Relationship(deleteRule: .cascade, inverse: \Egg.nest) var eggs: [Egg] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Egg {
    var name: String
    var nest: Nest?

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Twig {
    var name: String

    init(_ name: String) { self.name = name }
  }
#endif

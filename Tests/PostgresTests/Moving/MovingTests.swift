#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PersistenceExtensions
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Suite("Moving a store to PostgreSQL and back")
  struct MovingTests {
    private let stores: MovedStores

    init() throws { stores = try MovedStores() }

    /// Creates a store in a file, with models of every kind.
    private func filled() throws -> ModelContainer {
      let container = try stores.open(stores.file())
      try MovedContents.fill(container)
      return container
    }

    @Test("the move keeps every value, list and subclass exactly, in both directions")
    func contents() async throws {
      let source = try filled()
      let known = try MovedContents.of(source)
      #expect(known.contains { $0.contains("south") } && known.contains("north: [3, 0, 5, 1, 4, 2]"))
      let database = try stores.database()
      let there = try await source.copy(to: database)
      let moved = try stores.open(database)
      #expect(try MovedContents.of(moved) == known)
      let back = try await moved.copy(to: stores.file("b.store"))
      let returned = try stores.open(stores.file("b.store"))
      #expect(try MovedContents.of(returned) == known)
      #expect(try await returned.check() == [])
      // The checksums of both stores are equal, because they depend only on the values.
      #expect(there.models == back.models && there.relationships == back.relationships)
      #expect(there.models.first { $0.name == "Specimen" }?.count == 8)
      #expect(there.models.first { $0.name == "Ship" }?.count == 2)
      #expect(there.relationships.first { $0.name == "Parcel.depots" }?.count == 15)
      #expect(there.storeIdentifier == back.storeIdentifier)
      #expect(there.leftHistoryBehind && !back.leftHistoryBehind)
    }

    @Test("identifiers encoded before the move find their models after it, and new models get unused keys")
    func identifiers() async throws {
      let source = try filled()
      let context = ModelContext(source)
      let last = Parcel("last", number: 99)
      context.insert(last)
      try context.save()
      let gone = last.persistentModelID
      context.delete(last)
      try context.save()
      let parcels = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)]))
      let ship = try #require(try context.fetch(FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.mark)])).first)
      let encoded = try JSONEncoder().encode(parcels.map(\.persistentModelID))
      let reference = try JSONEncoder().encode(Model(ship))
      let database = try stores.database()
      try await source.copy(to: database)
      let moved = try stores.open(database)
      try Self.check(moved, encoded, reference, gone)
      try await moved.copy(to: stores.file("b.store"))
      try Self.check(stores.open(stores.file("b.store")), encoded, reference, gone)
    }

    private static func check(
      _ container: ModelContainer, _ encoded: Data, _ reference: Data, _ gone: PersistentIdentifier
    ) throws {
      let context = ModelContext(container)
      let identifiers = try JSONDecoder().decode([PersistentIdentifier].self, from: encoded)
      let found = try identifiers.map { try #require(context.model(for: $0) as? Parcel).number }
      #expect(found == Array(0..<6))
      #expect(try context.get(JSONDecoder().decode(Model<Ship>.self, from: reference)).mark == "a")
      let new = (0..<3).map { Parcel("new \($0)", number: 100 + $0) }
      for parcel in new { context.insert(parcel) }
      context.insert(Holding("new"))
      try context.save()
      let known = Set(identifiers + [gone])
      #expect(new.allSatisfy { !known.contains($0.persistentModelID) && $0.persistentModelID > gone })
      for parcel in new { context.delete(parcel) }
      try context.save()
    }

    @Test("the history begins after the last token before the move, and earlier tokens expire, in both directions")
    func history() async throws {
      let source = try filled()
      let database = try stores.database()
      try await source.copy(to: database)
      let moved = try stores.open(database)
      try Self.check(tokensOf: source, in: moved)
      try await moved.copy(to: stores.file("b.store"))
      try Self.check(tokensOf: moved, in: stores.open(stores.file("b.store")))
    }

    /// Checks that the tokens of the source are expired in the copy, except the last one, and saves in the copy.
    private static func check(tokensOf source: ModelContainer, in copy: ModelContainer) throws {
      typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
      let tokens = try ModelContext(source).fetchHistory(Descriptor()).map(\.token)
      let (early, late) = (try #require(tokens.dropLast().last), try #require(tokens.last))
      let context = ModelContext(copy)
      for number in 0..<3 {
        context.insert(Seal(number))
        try context.save()
      }
      let later = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > late }))
      #expect(later.count == 3)
      #expect(throws: SwiftDataError.historyTokenExpired) {
        try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > early }))
      }
    }

    @Test("a member appended to a list is the last one, even if list positions in PostgreSQL were above all keys")
    func appending() async throws {
      let database = try stores.database()
      let source = try stores.open(database)
      let context = ModelContext(source)
      let parcel = Parcel("parcel")
      context.insert(parcel)
      parcel.seals = (0..<3).map { Seal($0) }
      try context.save()
      for number in 0..<80 { parcel.seals.swapAt(number % 2, 2) }
      try context.save()
      for _ in 0..<150 {
        parcel.seals.append(parcel.seals.removeFirst())
        try context.save()
      }
      let order = parcel.seals.map(\.mark)
      try await source.copy(to: stores.file())
      let moved = ModelContext(try stores.open(stores.file()))
      let found = try #require(try moved.fetch(FetchDescriptor<Parcel>()).first)
      #expect(found.seals.map(\.mark) == order)
      // This context appends to the list without reading it. Reading would load the list positions of its members.
      let other = ModelContext(try stores.open(stores.file()))
      let seal = Seal(9)
      other.insert(seal)
      seal.parcel = try other.fetch(FetchDescriptor<Parcel>()).first
      try other.save()
      let again = try #require(
        try ModelContext(stores.open(stores.file())).fetch(FetchDescriptor<Parcel>()).first)
      #expect(again.seals.map(\.mark) == order + [9])
    }

    @Test("a move copies one state of a store in PostgreSQL while other contexts save")
    func moment() throws {
      let database = try stores.database()
      let container = try stores.open(database)
      let context = ModelContext(try stores.open(database))
      context.insert(Depot("a"))
      try context.save()
      let store = try #require(container.stores.stores.first)
      let engine = try #require(store.engine as? any MovableEngine)
      let request = FetchRequest(entity: try #require(store.layout(named: "Depot")))
      try engine.readingAtOneMoment { moment in
        #expect(try engine.count(request, in: moment) == 1)
        context.insert(Depot("b"))
        try context.save()
        #expect(try engine.count(request, in: moment) == 1)
      }
      #expect(try engine.count(request, in: nil) == 2)
    }

    @Test("a read-only store can be copied")
    func readOnly() async throws {
      var database = try stores.database()
      try await filled().copy(to: database)
      database.allowsSave = false
      try await stores.open(database).copy(to: stores.file("b.store"))
      #expect(try MovedContents.of(stores.open(stores.file("b.store"))) == MovedContents.of(stores.open(stores.file())))
    }
  }
#endif

#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Model
  final class Shelf {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Volume {
    var number: Int
    var shelf: Shelf?

    init(_ number: Int, on shelf: Shelf) { (self.number, self.shelf) = (number, shelf) }
  }

  /// A program that looks models up by identifiers, and reads a list of each of them.
  @Suite("Look-ups in PostgreSQL by a program that reads a list of each model", .timeLimit(.minutes(2)))
  struct RelatedLookUpTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let engine: PostgresStoreEngine
    private let identifiers: [PersistentIdentifier]
    private static let count = 60

    init() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Shelves \(UUID().uuidString)"
      configuration.propagation = .off
      container = try ModelContainer(for: Shelf.self, Volume.self, configurations: configuration)
      let writer = ModelContext(container)
      for number in 0..<Self.count {
        let shelf = Shelf("shelf \(number)")
        writer.insert(shelf)
        for place in 0..<3 { writer.insert(Volume(10 * number + place, on: shelf)) }
      }
      try writer.save()
      identifiers = try writer.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)])).map(\.persistentModelID)
      context = ModelContext(container)
      engine = try #require(context.stores.stores.first?.engine as? PostgresStoreEngine)
    }

    /// The numbers of round trips of look-ups, and of what follows them.
    private func roundTrips(_ identifiers: some Sequence<PersistentIdentifier>, _ body: (Shelf) throws -> Void) throws
      -> [Int]
    {
      try identifiers.map { identifier in
        let before = engine.roundTrips
        try body(try #require(context.model(for: identifier) as? Shelf))
        return engine.roundTrips - before
      }
    }

    @Test("from the third model on, a look-up reads the list with the row, in one round trip")
    func together() throws {
      let counts = try roundTrips(identifiers) { shelf in
        let first = try #require(shelf.volumes.map(\.number).min())
        #expect(Set(shelf.volumes.map(\.number)) == [first, first + 1, first + 2])
        #expect(shelf.volumes.allSatisfy { $0.shelf === shelf })
        #expect(shelf.name == "shelf \(first / 10)")
      }
      // Statements are prepared when they are executed for the second time, which takes one more round trip each.
      #expect(counts[5...17].allSatisfy { $0 == 1 }, "\(counts)")
      // Now and then a look-up reads only its row, to see whether the program still reads the list.
      #expect(counts.filter { $0 == 2 }.count <= 6)
      #expect(counts.reduce(0, +) <= Self.count + 12)
    }

    @Test("a program that stops reading the lists gets at most 17 more of them")
    func stops() throws {
      _ = try roundTrips(identifiers.prefix(5)) { _ = $0.volumes }
      let shelves = identifiers.dropFirst(5).compactMap { context.model(for: $0) as? Shelf }
      let read = shelves.filter { shelf in
        let before = engine.roundTrips
        _ = shelf.volumes
        return engine.roundTrips == before
      }
      #expect(read.count <= 17)
    }

    @Test("a missing row gives a deleted model")
    func missing() throws {
      let other = ModelContext(container)
      other.delete(try #require(other.model(for: identifiers[10]) as? Shelf))
      try other.save()
      _ = try roundTrips(identifiers.prefix(10)) { _ = $0.volumes }
      #expect((context.model(for: identifiers[10]) as? Shelf)?.isDeleted == true)
      let later = try roundTrips(identifiers[11...12]) { #expect($0.volumes.count == 3) }
      #expect(later == [1, 1])
    }

    @Test("a commit of another context after the look-up changes the list")
    func laterCommit() throws {
      _ = try roundTrips(identifiers.prefix(10)) { _ = $0.volumes }
      let shelf = try #require(context.model(for: identifiers[11]) as? Shelf)
      let other = ModelContext(container)
      other.insert(Volume(-1, on: try #require(other.model(for: identifiers[11]) as? Shelf)))
      try other.save()
      _ = try context.fetch(FetchDescriptor<Shelf>())
      #expect(shelf.volumes.map(\.number).sorted() == [-1] + shelf.volumes.map(\.number).filter { $0 >= 0 }.sorted())
      #expect(shelf.volumes.count == 4)
    }

    @Test("in a transaction, the list contains what the transaction has written")
    func transaction() throws {
      _ = try roundTrips(identifiers.prefix(10)) { _ = $0.volumes }
      try context.transaction {
        let first = try #require(context.model(for: identifiers[0]) as? Shelf)
        let moved = try #require(first.volumes.first)
        moved.shelf = try #require(context.model(for: identifiers[20]) as? Shelf)
        try context.save()
        #expect((context.model(for: identifiers[20]) as? Shelf)?.volumes.count == 4)
        #expect((context.model(for: identifiers[21]) as? Shelf)?.volumes.count == 3)
      }
    }

    @Test("pending changes of the list's models are part of the list that is read with the row")
    func pendingChanges() throws {
      let volumes = try context.fetch(FetchDescriptor<Volume>())
      let volume = try #require(volumes.first { $0.number == 0 })
      _ = try roundTrips(identifiers.prefix(4)) { _ = $0.volumes }
      let target = identifiers[30]
      volume.shelf = try #require(context.model(for: target) as? Shelf)
      #expect((context.model(for: target) as? Shelf)?.volumes.contains { $0 === volume } == true)
      for identifier in identifiers {
        let shelf = try #require(context.model(for: identifier) as? Shelf)
        #expect(shelf.volumes.contains { $0 === volume } == (identifier == target))
      }
    }
  }
#endif

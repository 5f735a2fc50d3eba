#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing
  import Waiting

  @Model private final class Shelf {
    var name = ""
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
    @Relationship(deleteRule: .cascade, inverse: \Label.shelf) var labels: [Label] = []

    init(_ name: String) { self.name = name }
  }

  @Model private final class Volume {
    var title = ""
    var shelf: Shelf?

    init(_ title: String) { self.title = title }
  }

  @Model private final class Label {
    var text = ""
    var shelf: Shelf?

    init(_ text: String) { self.text = text }
  }

  @Suite("Lists that PostgreSQL returns together with a look-up", .timeLimit(.minutes(10)))
  struct ReadAheadTests {
    /// A container with shelves of two volumes and a label each, and a context that has read none of them.
    private struct Library {
      let configuration: PostgresConfiguration
      let container: ModelContainer
      let context: ModelContext
      let engine: PostgresStoreEngine
      let identifiers: [PersistentIdentifier]

      init(_ count: Int, propagation: PostgresConfiguration.Propagation = .automatic) throws {
        var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
        configuration.namespace = "Shelves \(UUID().uuidString)"
        configuration.propagation = propagation
        self.configuration = configuration
        container = try ModelContainer(for: Shelf.self, Volume.self, Label.self, configurations: configuration)
        let context = ModelContext(container)
        for number in 0..<count {
          let shelf = Shelf("\(number)")
          context.insert(shelf)
          shelf.volumes = [Volume("\(number)a"), Volume("\(number)b")]
          shelf.labels = [Label("\(number)")]
        }
        try context.save()
        identifiers = try ModelContext(container).fetchIdentifiers(
          FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]))
        self.context = ModelContext(container)
        engine = try #require(self.context.stores.stores.first?.engine as? PostgresStoreEngine)
      }

      func shelf(_ index: Int) throws -> Shelf {
        try #require(context.model(for: identifiers[index]) as? Shelf)
      }

      /// Looks shelves up, and reads the volumes of each, so that those of the next one are read ahead.
      func read(_ range: Range<Int>) throws {
        for index in range { #expect(try shelf(index).volumes.count == 2) }
      }

      /// Runs a closure, and returns its result and the number of its round trips.
      func counting<Value>(_ body: () throws -> Value) rethrows -> (value: Value, trips: Int) {
        let before = engine.roundTrips
        let value = try body()
        return (value, engine.roundTrips - before)
      }

      /// Runs statements in the namespace of the store, as another program does.
      func execute(_ sql: String) throws {
        let connection = try TestCluster.shared.get().connect()
        defer { connection.close() }
        try connection.execute("SET search_path TO \"\(configuration.namespace)\"")
        try connection.execute(sql)
      }
    }

    /// The smallest result of several attempts. On a busy machine, more than 10 ms may lie between a look-up and the read
    /// of a list; then both take two round trips again.
    private func fewest(_ body: () throws -> Int) rethrows -> Int {
      try (0..<5).map { _ in try body() }.min() ?? .max
    }

    @Test("a look-up and the read of a list take one round trip, except for the first models")
    func oneRoundTrip() throws {
      let trips = try fewest {
        let library = try Library(30)
        let read = try library.counting { try library.read(0..<30) }
        let shelf = try library.shelf(4)
        #expect(shelf.volumes.allSatisfy { $0.shelf === shelf })
        return read.trips
      }
      #expect(30...45 ~= trips)
    }

    @Test("all lists that are read of each model are returned with the look-up")
    func severalLists() throws {
      let trips = try fewest {
        let library = try Library(30)
        return try library.counting {
          for index in 0..<30 {
            let shelf = try library.shelf(index)
            #expect(shelf.labels.map(\.text) == [shelf.name])
            #expect(shelf.volumes.map(\.title).sorted() == ["\(shelf.name)a", "\(shelf.name)b"])
            #expect(shelf.labels.count == 1)
          }
        }.trips
      }
      #expect(30...60 ~= trips)
    }

    @Test("a list of more than 256 rows is not read ahead")
    func longList() throws {
      let library = try Library(3)
      try library.execute(
        """
        INSERT INTO "Volume" ("_osd_key", "title", "shelf") SELECT 1000000 * s."_osd_key" + n, 'n' || n, s."_osd_key" \
        FROM "Shelf" AS s, generate_series(1, 300) AS n
        """)
      let read = try library.counting {
        try (0..<3).map { try library.shelf($0).volumes.count }
      }
      #expect(read.value == [302, 302, 302])
      #expect(read.trips == 6)
    }

    @Test("a list that was read ahead is not older than what the context has fetched in between")
    func fetchInBetween() throws {
      let library = try Library(4, propagation: .off)
      try library.read(0..<2)
      let shelf = try library.shelf(2)
      try library.execute("UPDATE \"Volume\" SET \"title\" = 'new' WHERE \"title\" = '2a'")
      let fetched = try library.context.fetch(FetchDescriptor<Volume>(predicate: #Predicate { $0.title == "new" }))
      #expect(fetched.count == 1)
      #expect(shelf.volumes.map(\.title).sorted() == ["2b", "new"])
    }

    @Test("a list has what another container of the program saved between the look-up and the read")
    func otherContainer() throws {
      let library = try Library(4, propagation: .off)
      let other = ModelContext(
        try ModelContainer(for: Shelf.self, Volume.self, Label.self, configurations: library.configuration))
      let same = try #require(other.model(for: library.identifiers[2]) as? Shelf)
      #expect(same.volumes.count == 2)
      try library.read(0..<2)
      let shelf = try library.shelf(2)
      same.volumes.append(Volume("2c"))
      try other.save()
      #expect(shelf.volumes.count == 3)
    }

    @Test("a list is not read ahead if the program did not read it of both models before")
    func noHabit() throws {
      let library = try Library(8)
      for index in 0..<8 {
        let isRead = index.isMultiple(of: 2)
        let read = try library.counting {
          let shelf = try library.shelf(index)
          return isRead ? shelf.volumes.count : 2
        }
        #expect(read.value == 2)
        if index > 1 { #expect(read.trips == (isRead ? 2 : 1)) }
      }
    }

    @Test("a list has what another context saved between the look-up and the read")
    func otherContext() throws {
      let library = try Library(4)
      try library.read(0..<2)
      let shelf = try library.shelf(2)
      let other = ModelContext(library.container)
      let same = try #require(other.model(for: library.identifiers[2]) as? Shelf)
      let new = Volume("2c")
      other.insert(new)
      new.shelf = same
      try other.save()
      #expect(shelf.volumes.map(\.title).sorted() == ["2a", "2b", "2c"])
    }

    @Test("a list has what this context saved between the look-up and the read")
    func ownSave() throws {
      let library = try Library(4)
      try library.read(0..<2)
      let shelf = try library.shelf(2)
      try library.context.delete(model: Volume.self, where: #Predicate { $0.title == "2a" })
      try library.context.save()
      #expect(shelf.volumes.map(\.title) == ["2b"])
    }

    @Test("a list that the program does not read at once is read again", arguments: [true, false])
    func pause(isNotified: Bool) throws {
      let library = try Library(4, propagation: isNotified ? .automatic : .off)
      try library.read(0..<2)
      let shelf = try library.shelf(2)
      try library.execute("DELETE FROM \"Volume\" WHERE \"title\" = '2a'")
      // A result may be used for 10 ms.
      letTimePass(.milliseconds(20))
      let read = library.counting { shelf.volumes.map(\.title) }
      #expect(read.value == ["2b"])
      #expect(read.trips >= 1)
    }

    @Test("a look-up succeeds if the list cannot be read, and the list is read again later")
    func failingList() throws {
      let library = try Library(5)
      try library.read(0..<2)
      try library.execute("ALTER TABLE \"Volume\" RENAME COLUMN \"title\" TO \"old\"")
      let shelf = try library.shelf(2)
      #expect(shelf.name == "2")
      #expect(shelf.volumes.isEmpty)
      try library.execute("ALTER TABLE \"Volume\" RENAME COLUMN \"old\" TO \"title\"")
      #expect(shelf.volumes.map(\.title).sorted() == ["2a", "2b"])
      #expect(try library.shelf(3).volumes.map(\.title).sorted() == ["3a", "3b"])
    }

    @Test("a model without a row has no list, and the next look-up works")
    func missingRow() throws {
      let library = try Library(5)
      try library.read(0..<2)
      try library.execute(
        "DELETE FROM \"Volume\" WHERE \"title\" LIKE '2%'; DELETE FROM \"Label\" WHERE \"text\" = '2'")
      try library.execute("DELETE FROM \"Shelf\" WHERE \"name\" = '2'")
      #expect(library.context.model(for: library.identifiers[2]).isDeleted)
      try library.read(3..<5)
    }

    @Test("in a transaction, a list has what the transaction has saved")
    func transaction() throws {
      let library = try Library(4)
      try library.read(0..<2)
      let shelf = try library.shelf(2)
      try library.context.transaction {
        try library.context.delete(model: Volume.self, where: #Predicate { $0.title == "2a" })
        try library.context.save()
        #expect(shelf.volumes.map(\.title) == ["2b"])
        try library.read(3..<4)
      }
    }

    @Test("a change of a child that was read ahead is compared with the row as it was read")
    func comparison() throws {
      let library = try Library(4)
      try library.read(0..<2)
      let volume = try #require(try library.shelf(2).volumes.first { $0.title == "2a" })
      try library.execute("UPDATE \"Volume\" SET \"title\" = 'theirs' WHERE \"title\" = '2a'")
      library.context.conflictPolicy = .throwError
      volume.title = "ours"
      #expect(throws: SwiftDataError.conflictingChanges) { try library.context.save() }
    }
  }
#endif

#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresSQL
  import PostgresStore
  import PostgresSupport
  import Testing

  @Suite("Notifications of saves by other containers", .timeLimit(.minutes(6)))
  struct NewsTests {
    private let namespace = "News \(UUID().uuidString)"

    /// - Parameter program: The application name of the container's sessions on the server.
    private func container(
      program: String = "test", _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> ModelContainer {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url + "&application_name=\(program)")
      configuration.namespace = namespace
      configuration.maximumConnections = 3
      change(&configuration)
      return try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
    }

    static let propagations: [PostgresConfiguration.Propagation] = [.automatic, .polling(interval: .milliseconds(50))]

    @Test(
      "a notification updates objects that were changed, deleted, or added to and removed from lists",
      arguments: propagations)
    func changes(_ propagation: PostgresConfiguration.Propagation) async throws {
      let writer = ModelContext(try container { $0.propagation = propagation })
      let (ann, bob) = (Holder("Ann", number: 1), Holder("Bob", number: 2))
      for holder in [ann, bob] { writer.insert(holder) }
      ann.holdings = [Holding("house")]
      try writer.save()
      let reader = ModelContext(try container { $0.propagation = propagation })
      let found = try reader.fetch(FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.name)]))
      try #require(found.count == 2)
      #expect(found[0].holdings.map(\.title) == ["house"])
      #expect(found[1].holdings.isEmpty)
      bob.note = "changed"
      try writer.save()
      // A fetch, even of another entity, first applies the received saves of other containers.
      func look() throws { _ = try reader.fetchCount(FetchDescriptor<Ship>()) }
      #expect(
        try await eventually {
          try look()
          return found[1].note == "changed"
        })
      ann.holdings.first?.holder = bob
      bob.holdings.append(Ship("boat", mark: "b"))
      try writer.save()
      #expect(
        try await eventually {
          try look()
          return found[0].holdings.isEmpty && found[1].holdings.map(\.title) == ["house", "boat"]
        })
      bob.holdings.swapAt(0, 1)
      ann.friends = [bob]
      try writer.save()
      #expect(
        try await eventually {
          try look()
          return found[1].holdings.map(\.title) == ["boat", "house"] && found[0].friends.map(\.name) == ["Bob"]
        })
      writer.delete(bob)
      try writer.save()
      #expect(
        try await eventually {
          try look()
          return found[1].isDeleted && found[0].friends.isEmpty
        })
    }

    @Test("notifications name the changed rows, so that no other rows are read again")
    func keys() async throws {
      let writer = ModelContext(try container())
      let holders = (0..<20).map { (number: Int) in Holder("h\(number)", number: number) }
      for holder in holders { writer.insert(holder) }
      try writer.save()
      let first = try container()
      let reader = ModelContext(first)
      let found = try reader.fetch(FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.number)]))
      // Changes all rows by SQL, without a notification. A row that the library reads again would show this change.
      let table = "\"\(namespace)\".\"Holder\""
      try TestCluster.shared.get().connect().execute("UPDATE \(table) SET note = 'foreign'")
      holders[7].note = "own"
      try writer.save()
      #expect(
        try await eventually {
          _ = try reader.fetchCount(FetchDescriptor<Ship>())
          return found[7].note == "own"
        })
      #expect(found[6].note == nil)
    }

    @Test("live queries get notifications", arguments: propagations)
    func liveQueries(_ propagation: PostgresConfiguration.Propagation) async throws {
      let reader = try container { $0.propagation = propagation }
      let seen = Lock<[Int]>([])
      let database = ModelDatabase(modelContainer: reader)
      let task = Task {
        for try await models in database.references(of: FetchDescriptor<Holder>()) {
          seen.withLock { $0.append(models.count) }
        }
      }
      defer { task.cancel() }
      #expect(await eventually { seen.withLock { $0.last } == 0 })
      let writer = ModelContext(try container { $0.propagation = propagation })
      writer.insert(Holder("Ann"))
      try writer.save()
      #expect(await eventually { seen.withLock { $0.last } == 1 })
    }

    @Test("no notification is missing after the connection that listens for them was lost", arguments: propagations)
    func lostConnection(_ propagation: PostgresConfiguration.Propagation) async throws {
      let cluster = try TestCluster.shared.get()
      let writer = ModelContext(try container { $0.propagation = propagation })
      let ann = Holder("Ann", number: 1)
      writer.insert(ann)
      try writer.save()
      let program = "listener\(namespace.suffix(8))"
      let reader = ModelContext(try container(program: program) { $0.propagation = propagation })
      let found = try #require(try reader.fetch(FetchDescriptor<Holder>()).first)
      let other = try cluster.connect()
      for round in 0..<5 {
        try other.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(program)'")
        ann.note = "round \(round)"
        try writer.save()
        #expect(
          await eventually {
            _ = try? reader.fetchCount(FetchDescriptor<Ship>())
            return found.note == "round \(round)"
          })
      }
    }

    @Test("each notification arrives once, regardless of the order in which transactions commit")
    func order() async throws {
      let cluster = try TestCluster.shared.get()
      _ = try container()
      let table = PostgresNewsTable(dialect: PostgresDialect(namespace: namespace))
      let (slow, fast, reader) = (try cluster.connect(), try cluster.connect(), try cluster.connect())
      var snapshot = try #require(try reader.run(table.snapshot).text(0, 0))
      func news() throws -> [String] {
        let result = try reader.run(try table.news(since: snapshot, besides: 7, limit: 100))
        snapshot = result.text(0, 0) ?? ""
        return (0..<result.rowCount).compactMap { result.text($0, 1) }
      }
      #expect(try news().isEmpty)
      try slow.execute("BEGIN")
      _ = try slow.run(try table.insertion("slow", origin: 1, save: 0))
      _ = try fast.run(try table.insertion("fast", origin: 1, save: 0))
      _ = try fast.run(try table.insertion("own", origin: 7, save: 0))
      #expect(try news() == ["fast"])
      _ = try fast.run(try table.insertion("faster", origin: 1, save: 0))
      #expect(try news() == ["faster"])
      try slow.execute("COMMIT")
      #expect(try news() == ["slow"])
      #expect(try news().isEmpty)
    }

    @Test("notification rows are deleted after all readers have had time to read them")
    func removal() throws {
      // A separate server, because on the shared server an open transaction of another test would delay the removal.
      let cluster = try TestCluster()
      defer { cluster.stop() }
      let connection = try cluster.connect()
      var configuration = PostgresConfiguration(cluster.url)
      (configuration.namespace, configuration.propagation) = (namespace, .off)
      _ = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      let dialect = PostgresDialect(namespace: namespace)
      let table = PostgresNewsTable(dialect: dialect)
      let rows = dialect.table("_osd_news")
      func count() throws -> Int64? {
        try connection.run(PostgresStatement("SELECT count(*) FROM \(rows)")).integer(0, 0)
      }
      func age() throws {
        try connection.execute(
          "UPDATE \(dialect.table("_osd_metadata")) SET \"value\" = split_part(\"value\", ' ', 1) || ' 1' "
            + "WHERE \"key\" = 'news'")
      }
      _ = try connection.run(try table.insertion("first", origin: 1, save: 0))
      try connection.run(table.removal)
      #expect(try count() == 1)
      // The transaction ID that the store recorded is older than the row's, so the row stays. This removal records a
      // newer ID.
      try age()
      try connection.run(table.removal)
      #expect(try count() == 1)
      _ = try connection.run(try table.insertion("second", origin: 1, save: 0))
      try connection.run(table.removal)
      #expect(try count() == 2)
      try age()
      try connection.run(table.removal)
      #expect(try count() == 1)
    }

    @Test("a store without notifications writes no notification rows and opens no connection for them")
    func off() async throws {
      let connection = try TestCluster.shared.get().connect()
      let rows = PostgresDialect(namespace: namespace).table("_osd_news")
      func count(_ sql: String) throws -> Int64 { try connection.run(PostgresStatement(sql)).integer(0, 0) ?? -1 }
      func sessions(_ program: String) throws -> Int64 {
        try count("SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(program)'")
      }
      func save(_ program: String, _ propagation: PostgresConfiguration.Propagation) throws -> ModelContainer {
        let container = try container(program: program) { $0.propagation = propagation }
        let context = ModelContext(container)
        context.insert(Holder(program))
        try context.save()
        return container
      }
      let (quiet, loud) = ("quiet\(namespace.suffix(8))", "loud\(namespace.suffix(8))")
      let first = try save(quiet, .off)
      let before = try sessions(quiet)
      #expect(try count("SELECT count(*) FROM \(rows)") == 0)
      let second = try save(loud, .automatic)
      // When the listening connection of the second store is open, the first store would have opened one as well.
      #expect(try await eventually { try sessions(loud) == before + 1 })
      #expect(try sessions(quiet) == before)
      #expect(try count("SELECT count(*) FROM \(rows)") == 1)
      withExtendedLifetime((first, second)) {}
    }
  }
#endif

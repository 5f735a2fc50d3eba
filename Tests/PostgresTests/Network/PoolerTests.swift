#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import MigrationWorkload
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  @Suite("Stores behind a pooler in transaction mode", .enabled(if: TestPooler.isInstalled), .timeLimit(.minutes(3)))
  struct PoolerTests {
    /// - Parameter url: A URL that leads to the pooler by another way, such as a proxy; nil for the pooler's own URL.
    private func configuration(_ pooler: TestPooler, url: String? = nil) -> PostgresConfiguration {
      var configuration = PostgresConfiguration(url ?? pooler.url)
      configuration.namespace = "Pooler \(UUID().uuidString)"
      configuration.pooling = .transaction
      configuration.statementTimeout = .seconds(20)
      configuration.durability = .processCrash
      return configuration
    }

    @Test("models are saved, fetched, changed and deleted without changing settings in sessions of other programs")
    func life() throws {
      let cluster = try TestCluster.shared.get()
      let pooler = try TestPooler(to: cluster, sessions: 2)
      defer { pooler.stop() }
      let configuration = configuration(pooler)
      let context = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      let (ann, bob) = (Holder("Ann", number: 1), Holder("Bob", number: 2))
      for holder in [ann, bob] { context.insert(holder) }
      ann.holdings = [Holding("house"), Ship("boat", mark: "b")]
      try context.save()
      ann.holdings.swapAt(0, 1)
      bob.name = "Cid"
      try context.save()
      context.insert(Holder("Ann", number: 7))
      try context.save()
      context.delete(bob)
      try context.save()
      let other = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      let found = try other.fetch(FetchDescriptor<Holder>())
      #expect(found.map(\.name) == ["Ann"])
      #expect(found.map(\.number) == [7])
      #expect(found.first?.holdings.map(\.title) == ["boat", "house"])
      let plain = try PostgresConnection(PostgresSettings(pooler.url))
      for _ in 0..<10 {
        #expect(try plain.run(PostgresStatement("SHOW synchronous_commit")).text(0, 0) == "on")
        #expect(try plain.run(PostgresStatement("SHOW statement_timeout")).text(0, 0) == "1min")
      }
    }

    @Test("a store is migrated behind a pooler, with code before and after its tables change")
    func migration() throws {
      let cluster = try TestCluster.shared.get()
      let pooler = try TestPooler(to: cluster, sessions: 3)
      defer { pooler.stop() }
      let configuration = configuration(pooler)
      try TripStores.fill(TripStores.original(configuration), trips: 40)
      #expect(try TripStores.problems(of: TripStores.migrated(configuration), trips: 40) == [])
      let catalog = try TestCatalog(cluster, namespace: configuration.namespace)
      #expect(try catalog.problems() == [])
      let plain = try PostgresConnection(PostgresSettings(pooler.url))
      for _ in 0..<10 {
        #expect(try plain.run(PostgresStatement("SHOW lock_timeout")).text(0, 0) == "0")
      }
    }

    @Test("a save whose connection is cut at its COMMIT reports the outcome", arguments: [false, true])
    func lostAnswer(_ isCommitted: Bool) throws {
      let cluster = try TestCluster.shared.get()
      let pooler = try TestPooler(to: cluster, sessions: 3)
      defer { pooler.stop() }
      let proxy = try TestProxy(to: pooler.socket)
      defer { proxy.stop() }
      var configuration = configuration(pooler, url: proxy.url)
      (configuration.saveRetries, configuration.propagation) = (0, .off)
      let context = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      for number in 0..<4 {
        // By now a block of keys is reserved, so each save sends the same messages as the one before.
        proxy.arm(nil)
        context.insert(Holder("h\(number)"))
        try context.save()
      }
      let counts = proxy.counts
      proxy.arm(isCommitted ? .cutAnswer(counts.answers - 2) : .cutRequest(counts.requests - 2))
      context.insert(Holder("last"))
      var failure: (any Error)?
      do { try context.save() } catch { failure = error }
      #expect(!proxy.isArmed)
      let catalog = try TestCatalog(cluster, namespace: configuration.namespace)
      let isSaved = try !catalog.rows("SELECT 1 FROM \"Holder\" WHERE name = 'last'").isEmpty
      #expect(isSaved == isCommitted)
      #expect((failure == nil) == isCommitted, "\(String(describing: failure))")
      #expect(failure.map { UnknownOutcome.isCause(of: $0) } != true)
    }

    @Test("many concurrent saves over few sessions lose no change, and notify other containers")
    func concurrent() async throws {
      let cluster = try TestCluster.shared.get()
      let pooler = try TestPooler(to: cluster, sessions: 3)
      defer { pooler.stop() }
      var configuration = configuration(pooler)
      configuration.saveRetries = 50
      let reader = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      reader.insert(Holder("counter", number: 0))
      try reader.save()
      let seen = try #require(try reader.fetch(FetchDescriptor<Holder>()).first)
      let containers = try (0..<4).map { _ in
        try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (container, letter) in zip(containers, ["a", "b", "c", "d"]) {
          group.addTask {
            for _ in 0..<10 { try Self.append(letter, container) }
          }
        }
        try await group.waitForAll()
      }
      #expect(
        try await eventually {
          _ = try reader.fetchCount(FetchDescriptor<Ship>())
          return seen.note?.count == 40
        })
    }

    // Appends a letter. A counter would not detect a lost change, because equal changes by two contexts are no
    // conflict.
    private static func append(_ letter: String, _ container: ModelContainer) throws {
      while true {
        let context = ModelContext(container)
        context.conflictPolicy = .throwError
        let holder = try #require(try context.fetch(FetchDescriptor<Holder>()).first)
        holder.note = (holder.note ?? "") + letter
        do {
          return try context.save()
        } catch let error as SwiftDataError where error == .conflictingChanges {}
      }
    }
  }
#endif

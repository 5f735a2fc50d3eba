#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresSupport
  import Testing

  @testable import PostgresStore

  /// A store behind a proxy and a session pooler. The pooler reports other process IDs to the program than the
  /// server's.
  private struct PooledStore {
    let pooler: TestPooler
    let proxy: TestProxy
    let direct: PostgresConnection
    let configuration: PostgresConfiguration
    let container: ModelContainer

    init() throws {
      let cluster = try TestCluster.shared.get()
      pooler = try TestPooler(to: cluster, sessions: 8, keepsSessions: true)
      proxy = try TestProxy(to: pooler.socket)
      direct = try cluster.connect()
      var configuration = PostgresConfiguration(proxy.url)
      configuration.namespace = "Session pooler \(UUID().uuidString)"
      configuration.maximumConnections = 3
      // The save also writes a notification row. It proves the commit if the connection is lost before the engine
      // learns the transaction ID.
      configuration.propagation = .polling(interval: .seconds(600))
      self.configuration = configuration
      container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
    }

    func stop() {
      proxy.stop()
      pooler.stop()
    }

    /// The number of other sessions whose statement names the store, and that satisfy the condition.
    func sessions(_ condition: String) throws -> Int64 {
      let result = try direct.run(
        PostgresStatement(
          "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%\(configuration.namespace)%' "
            + "AND \(condition)"))
      return result.integer(0, 0) ?? -1
    }

    func count(_ condition: String) throws -> Int64 {
      let result = try direct.run(
        PostgresStatement("SELECT count(*) FROM \"\(configuration.namespace)\".\"Holder\" WHERE \(condition)"))
      return result.integer(0, 0) ?? -1
    }

    /// Saves until all statements are prepared, and waits until the container listens for notifications.
    func prepare() async throws -> ModelContext {
      let context = ModelContext(container)
      let holder = Holder("first", number: 1)
      context.insert(holder)
      try context.save()
      for number in 2..<5 {
        holder.number = number
        try context.save()
      }
      // This is the first statement of the connection that listens for notifications.
      #expect(try await eventually { try sessions("query LIKE 'WITH due AS%'") == 1 })
      return context
    }
  }

  @Suite("Stores behind a pooler in session mode", .enabled(if: TestPooler.isInstalled), .timeLimit(.minutes(3)))
  struct SessionPoolerTests {
    @Test("the first query about the server's start also reads the ID of the session's process")
    func process() throws {
      let pooler = try TestPooler(to: try TestCluster.shared.get(), sessions: 2, keepsSessions: true)
      defer { pooler.stop() }
      let connection = try PostgresConnection(PostgresSettings(pooler.url))
      _ = try connection.run(PostgresStatement("SELECT 1"))
      let before = connection.roundTrips
      #expect(connection.process == nil)
      #expect(connection.serverRun != nil)
      #expect(connection.roundTrips == before + 1)
      let process = try connection.run(PostgresStatement("SELECT pg_backend_pid()")).integer(0, 0)
      #expect(process != nil && connection.process == process)
      connection.close()
      #expect(connection.process == process)
    }

    @Test("a save that the server still executes after the connection is lost is waited for, and is not saved again")
    func runningCommit() async throws {
      let store = try PooledStore()
      defer { store.stop() }
      _ = try await store.prepare()
      let blocker = try TestCluster.shared.get().connect()
      let table = "\"\(store.configuration.namespace)\".\"Holder\""
      try blocker.execute("BEGIN; SELECT 1 FROM \(table) FOR UPDATE")
      let told = Lock<Result<Void, any Error>?>(nil)
      let container = store.container
      Thread.detachNewThread {
        let result = Result {
          let context = ModelContext(container)
          try context.fetch(FetchDescriptor<Holder>()).first?.note = "late"
          try context.save()
        }
        told.withLock { $0 = result }
      }
      // The server has received the whole save, including its COMMIT, and has answered nothing, because it waits for a
      // lock.
      #expect(try await eventually { try store.sessions("wait_event_type = 'Lock'") == 1 })
      store.proxy.cutAll()
      // If the container wrongly saved again now, the second save would wait for the same lock.
      let hasGoneOn = try await eventually(within: .seconds(1)) {
        try store.sessions("wait_event_type = 'Lock'") != 1 || told.withLock { $0 } != nil
      }
      #expect(!hasGoneOn)
      try blocker.execute("COMMIT")
      #expect(await eventually { told.withLock { $0 } != nil })
      let result = told.withLock { $0 }
      try #require(result).get()
      #expect(try store.count("note = 'late'") == 1)
    }

    @Test("a save is repeated if the server received none of its requests, although the pooler keeps the session")
    func lostRequests() async throws {
      let store = try PooledStore()
      defer { store.stop() }
      let context = try await store.prepare()
      context.insert(Holder("second", number: 0))
      store.proxy.arm(.cutRequest(0))
      let start = ContinuousClock.now
      try context.save()
      #expect(!store.proxy.isArmed)
      // This is less than the time for which a save waits for an unknown outcome.
      #expect(start.duration(to: .now) < .seconds(8))
      #expect(try store.count("name = 'second'") == 1)
    }
  }
#endif

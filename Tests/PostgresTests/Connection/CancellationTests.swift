#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  @Suite("Statements of a cancelled task", .timeLimit(.minutes(10)))
  struct CancellationTests {
    @Test("a statement throws and its connection is closed if the server no longer answers")
    func silence() async throws {
      let cluster = try TestCluster.shared.get()
      let proxy = try TestProxy(to: cluster.socket)
      defer { proxy.stop() }
      let task = Task {
        let connection = try PostgresConnection(PostgresSettings(proxy.url))
        // The proxy silences the request to cancel the statement too.
        proxy.arm(.silence(0))
        do {
          try connection.watchingCancellation { try connection.execute("SELECT 1") }
          return false
        } catch is CancellationError {
          return !connection.isOpen
        }
      }
      #expect(await eventually { proxy.isSilent })
      task.cancel()
      #expect(try await task.value)
    }

    @Test("an aggregate stops, and its connection stays usable")
    func aggregate() async throws {
      let cluster = try TestCluster.shared.get()
      var store = PostgresConfiguration(cluster.url)
      store.namespace = "Cancellation \(UUID().uuidString)"
      store.lockTimeout = .seconds(50)
      store.maximumConnections = 2
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: store)
      let other = try cluster.connect()
      try other.execute("BEGIN; LOCK TABLE \"\(store.namespace)\".\"Holder\"")
      let database = ModelDatabase(modelContainer: container)
      let task = Task {
        try await database.withModelContext { try $0.aggregate(Holder.self, .count) }
      }
      // Waits until the server blocks the statement at the lock.
      let waiting = PostgresStatement(
        "SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation JOIN pg_namespace AS n "
          + "ON n.oid = c.relnamespace WHERE NOT l.granted AND n.nspname = '\(store.namespace)'")
      let watch = try cluster.connect()
      #expect(try await eventually { try watch.run(waiting).integer(0, 0) == 1 })
      let start = ContinuousClock.now
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(start.duration(to: .now) < .seconds(20))
      try other.execute("ROLLBACK")
      #expect(try await database.withModelContext { try $0.aggregate(Holder.self, .count) } == 0)
    }
  }
#endif

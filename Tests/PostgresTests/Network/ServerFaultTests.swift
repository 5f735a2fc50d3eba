#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresSQL
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import Testing

  private func code(_ error: SwiftDataError?) -> String? {
    (error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState
  }

  @Suite("Stores on a server with faults", .timeLimit(.minutes(5)))
  struct ServerFaultTests {
    private func configuration(
      _ url: String, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> PostgresConfiguration {
      var configuration = PostgresConfiguration(url)
      configuration.namespace = "Fault \(UUID().uuidString)"
      configuration.acquireTimeout = .seconds(5)
      change(&configuration)
      return configuration
    }

    private func container(_ configuration: PostgresConfiguration) throws -> ModelContainer {
      try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
    }

    @Test("the store has every acknowledged save once if sessions end during saves")
    func endedSessions() async throws {
      let cluster = try TestCluster.shared.get()
      let program = "ended\(UUID().uuidString.prefix(8))"
      let container = try container(
        try configuration(cluster.url + "&application_name=\(program)") { $0.saveRetries = 20 })
      let isOver = Lock(false)
      let done = Lock(0)
      let killer = Thread {
        guard let connection = try? cluster.connect() else { return }
        while !isOver.withLock({ $0 }) {
          let before = done.withLock { $0 }
          try? connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(program)' "
              + "AND random() < 0.3")
          // The pause lets most saves finish before the next session ends, and makes sessions end at different times
          // within a save.
          letTimePass(.milliseconds(10))
          // On a busy machine, a save may take longer than the pause.
          _ = waitUntil { isOver.withLock { $0 } || done.withLock { $0 } > before }
        }
      }
      killer.start()
      var (acknowledged, refused) = ([String](), [String]())
      for number in 0..<150 {
        let context = ModelContext(container)
        context.insert(Holder("h\(number)"))
        do {
          try context.save()
          acknowledged.append("h\(number)")
        } catch {
          #expect(!UnknownOutcome.isCause(of: error))
          refused.append("h\(number)")
        }
        done.withLock { $0 += 1 }
      }
      isOver.withLock { $0 = true }
      #expect(
        await eventually {
          (try? ModelContext(container).fetchCount(FetchDescriptor<Holder>())) == acknowledged.count
        })
      let names = try ModelContext(container).fetch(FetchDescriptor<Holder>()).map(\.name)
      #expect(names.sorted() == acknowledged.sorted())
      #expect(acknowledged.count > 100)
      #expect(Set(names).isDisjoint(with: refused))
    }

    @Test("opening waits if the server has no free connection, and throws after the timeout")
    func tooMany() throws {
      let cluster = try TestCluster { $0.settings = ["max_connections=6", "superuser_reserved_connections=0"] }
      defer { cluster.stop() }
      let container = try container(
        try configuration(cluster.url) { ($0.acquireTimeout, $0.propagation) = (.milliseconds(400), .off) })
      let context = ModelContext(container)
      context.insert(Holder("Ann"))
      try context.save()
      var others: [PostgresConnection] = []
      while let connection = try? cluster.connect() { others.append(connection) }
      // The container's existing connections continue to work.
      #expect(try context.fetchCount(FetchDescriptor<Holder>()) == 1)
      let refused = #expect(throws: SwiftDataError.self) { try self.container(try configuration(cluster.url)) }
      #expect(code(refused) == "53300")
      let dialect = PostgresDialect(namespace: "none")
      let pool = PostgresPool(first: nil, capacity: 3, timeout: .milliseconds(400)) {
        PostgresSession(
          try cluster.connect(), dialect: dialect, memory: StatementMemory(dialect.mapping(of: []), dialect: dialect))
      }
      let start = ContinuousClock.now
      let error = #expect(throws: SwiftDataError.self) { try pool.take() }
      #expect(error == .storeBusy)
      #expect(start.duration(to: .now) > .milliseconds(300))
      for other in others { other.close() }
      // The server may count a connection until its process has ended.
      #expect(waitUntil { (try? pool.giveBack(pool.take())) != nil })
      pool.close()
      context.insert(Holder("Cid"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Holder>()) == 2)
    }

    @Test("opening throws before it creates anything if the server is too old")
    func version() throws {
      let cluster = try TestCluster.shared.get()
      let proxy = try TestProxy(to: cluster.socket)
      defer { proxy.stop() }
      let version = try #require(try cluster.connect().run(PostgresStatement("SHOW server_version")).text(0, 0))
      proxy.replace("server_version\0\(version.prefix(2))", with: "server_version\u{0}13")
      let configuration = try configuration(proxy.url)
      let error = #expect(throws: SwiftDataError.self) { try container(configuration) }
      #expect(error?.explanation?.contains("PostgreSQL 13") == true)
      let result = try cluster.connect().run(
        PostgresStatement("SELECT count(*) FROM pg_namespace WHERE nspname = '\(configuration.namespace)'"))
      #expect(result.integer(0, 0) == 0)
    }
  }
#endif

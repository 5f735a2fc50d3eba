#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  /// Tests that the options of a configuration affect the container's connections.
  @Suite("The options of a store in PostgreSQL", .timeLimit(.minutes(5)))
  struct OptionTests {
    private func code(_ error: SwiftDataError?) -> String? {
      (error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState
    }

    private func configuration(_ url: String) -> PostgresConfiguration {
      var configuration = PostgresConfiguration(url)
      configuration.namespace = "Options \(UUID().uuidString)"
      return configuration
    }

    private func container(_ configuration: PostgresConfiguration) throws -> ModelContainer {
      try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
    }

    @Test("Over a network, a container uses a password that changes while it is open, and trusts the given authority")
    func password() throws {
      let certificate = try TestCertificate(for: "localhost")
      defer { certificate.remove() }
      let port = try TestNetwork.freePort()
      let cluster = try TestCluster {
        ($0.port, $0.settings) = (port, ["ssl=on"])
        $0.access = ["local all all trust", "hostssl all all 127.0.0.1/32 scram-sha-256"]
        $0.files = [
          "server.crt": try certificate.content("server.crt"), "server.key": try certificate.content("server.key"),
        ]
      }
      defer { cluster.stop() }
      let owner = try cluster.connect()
      try owner.execute("CREATE ROLE ann LOGIN PASSWORD 'first'; GRANT CREATE ON DATABASE postgres TO ann")
      let current = Lock("first")
      var store = configuration("postgresql://ann@localhost:\(port)/postgres")
      store.password = PostgresConfiguration.PasswordSource { current.withLock { $0 } }
      store.tls = .verified(authorities: certificate.authority)
      let context = ModelContext(try container(store))
      context.insert(Holder("Ann"))
      try context.save()
      // Ends all sessions. New sessions need the new password.
      current.withLock { $0 = "second" }
      try owner.execute(
        "ALTER ROLE ann PASSWORD 'second'; "
          + "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'ann'")
      context.insert(Holder("Bob"))
      try context.save()
      #expect(try ModelContext(container(store)).fetchCount(FetchDescriptor<Holder>()) == 2)
      let encrypted = try owner.run(
        PostgresStatement(
          "SELECT count(*) FROM pg_stat_activity AS a JOIN pg_stat_ssl AS s ON s.pid = a.pid "
            + "WHERE a.usename = 'ann' AND NOT s.ssl"))
      #expect(encrypted.integer(0, 0) == 0)
      current.withLock { $0 = "wrong" }
      let refusal = #expect(throws: SwiftDataError.self) { try container(store) }
      #expect(code(refusal) == "28P01")
      current.withLock { $0 = "second" }
      // With this setting only the system's authorities are trusted, which do not include the test's authority.
      store.tls = .automatic
      let distrust = #expect(throws: SwiftDataError.self) { try container(store) }
      #expect(distrust == .storeUnreachable && distrust?.explanation?.contains("certificate") == true)
    }

    @Test("A fetch waits no longer than the statement timeout, and no longer than the lock timeout for locks")
    func times() throws {
      let cluster = try TestCluster.shared.get()
      var store = configuration(cluster.url)
      let context = ModelContext(try container(store))
      context.insert(Holder("Ann"))
      try context.save()
      let other = try cluster.connect()
      try other.execute("BEGIN; LOCK TABLE \"\(store.namespace)\".\"Holder\"")
      (store.statementTimeout, store.lockTimeout) = (.seconds(2), .seconds(60))
      let slow = ModelContext(try container(store))
      let late = #expect(throws: SwiftDataError.self) { try slow.fetchCount(FetchDescriptor<Holder>()) }
      #expect(late == .storeBusy && code(late) == "57014")
      (store.statementTimeout, store.lockTimeout) = (.seconds(60), .seconds(2))
      let waiting = ModelContext(try container(store))
      let locked = #expect(throws: SwiftDataError.self) { try waiting.fetchCount(FetchDescriptor<Holder>()) }
      #expect(locked == .storeBusy && code(locked) == "55P03")
      try other.execute("ROLLBACK")
      #expect(try slow.fetchCount(FetchDescriptor<Holder>()) == 1)
    }

    private static let durabilities: [(PostgresConfiguration.Durability, String)] = [
      (.asServerSays, "on"), (.processCrash, "off"), (.powerFailure, "local"), (.standbys, "on"),
      (.visibleOnStandbys, "remote_apply"),
    ]

    @Test(
      "A save has the durability and the timeouts of its configuration",
      arguments: TestPooler.isInstalled ? [PostgresConfiguration.Pooling.direct, .transaction] : [.direct])
    func saves(_ pooling: PostgresConfiguration.Pooling) throws {
      let cluster = try TestCluster.shared.get()
      let pooler = pooling == .transaction ? try TestPooler(to: cluster, sessions: 4) : nil
      defer { pooler?.stop() }
      var store = configuration(pooler?.url ?? cluster.url)
      (store.pooling, store.statementTimeout, store.lockTimeout) = (pooling, .seconds(7), .seconds(3))
      _ = try container(store)
      // The trigger records the settings that are in effect during the save.
      let place = "\"\(store.namespace)\""
      try cluster.connect().execute(
        """
        CREATE FUNCTION \(place).note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        NEW.note := concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
        current_setting('synchronous_commit')); RETURN NEW; END $$;
        CREATE TRIGGER note BEFORE INSERT ON \(place)."Holder" FOR EACH ROW EXECUTE FUNCTION \(place).note()
        """)
      for (index, (durability, word)) in Self.durabilities.enumerated() {
        store.durability = durability
        let container = try container(store)
        let context = ModelContext(container)
        context.insert(Holder("h\(index)", number: index))
        try context.save()
        let found = try ModelContext(container).fetch(
          FetchDescriptor<Holder>(predicate: #Predicate { $0.number == index }))
        #expect(found.map(\.note) == ["7s 3s \(word)"], "\(durability)")
      }
    }

    @Test("A transaction waits for a connection up to its timeout, and the number of connections respects its maximum")
    func connections() throws {
      let cluster = try TestCluster.shared.get()
      let program = "options\(UUID().uuidString.prefix(8))"
      var store = configuration(cluster.url + "&application_name=\(program)")
      (store.maximumConnections, store.acquireTimeout, store.propagation) = (2, .milliseconds(300), .off)
      let container = try container(store)
      let context = ModelContext(container)
      let isOver = DispatchSemaphore(value: 0)
      let result = Lock<SwiftDataError?>(nil)
      try context.transaction {
        context.insert(Holder("Ann"))
        try context.save()
        // The maximum of two connections leaves one for the transaction. The other one is used to reserve keys.
        Thread.detachNewThread {
          let other = ModelContext(container)
          other.insert(Holder("Bob"))
          do { try other.save() } catch { result.withLock { $0 = error as? SwiftDataError } }
          isOver.signal()
        }
        isOver.wait()
        let sessions = try cluster.connect().run(
          PostgresStatement("SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(program)'"))
        #expect(sessions.integer(0, 0).map { (1...2).contains($0) } == true)
      }
      #expect(result.withLock { $0 } == .storeBusy)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Holder>()).map(\.name) == ["Ann"])
    }

    @Test("Opening waits no longer than the connect timeout for all hosts together")
    func connecting() throws {
      let silent = try TestNetwork.listener()
      defer { close(silent.descriptor) }
      let ports = "127.0.0.1:\(silent.port),localhost:\(silent.port)"
      var store = configuration("postgresql://osd:hush@\(ports)/postgres?sslmode=disable")
      store.connectTimeout = .milliseconds(500)
      let start = ContinuousClock.now
      let error = #expect(throws: SwiftDataError.self) { try container(store) }
      #expect(error == .storeUnreachable)
      #expect(start.duration(to: .now) < .seconds(8))
      #expect(error.map { "\($0)" }?.contains("hush") == false)
    }
  }
#endif

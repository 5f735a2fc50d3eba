#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  /// A primary server and its standby, which replicates all changes.
  private struct ServerPair {
    let primary: TestCluster
    let standby: TestCluster

    init() throws {
      let primary = try TestCluster()
      self.primary = primary
      standby = try TestCluster { $0.primary = primary }
    }

    /// Makes the primary acknowledge a commit only after the standby has received it.
    func makeSynchronous() throws {
      let connection = try primary.connect()
      try connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
      try connection.execute("SELECT pg_reload_conf()")
      let isSynchronous = try waitUntil {
        let state = try connection.run(PostgresStatement("SELECT sync_state FROM pg_stat_replication"))
        return state.text(0, 0) == "sync"
      }
      try #require(isSynchronous)
    }

    /// Pauses or resumes the standby's application of changes.
    func pause(_ isPaused: Bool) throws {
      let connection = try standby.connect()
      try connection.execute("SELECT pg_wal_replay_\(isPaused ? "pause" : "resume")()")
      // The server only accepts the request to pause. Until it reports the pause, it may still apply the next commit.
      let state = PostgresStatement("SELECT pg_get_wal_replay_pause_state()")
      while isPaused, try connection.run(state).text(0, 0) != "paused" {}
    }

    func stop() {
      standby.stop()
      primary.stop()
    }
  }

  @Suite("A store on a primary server and a standby", .timeLimit(.minutes(5)))
  struct FailoverTests {
    @Test(
      "after a failover under load the store has every acknowledged save, and programs continue without intervention")
    func failover() async throws {
      let servers = try ServerPair()
      defer { servers.stop() }
      let hosts = "\(servers.primary.folder),\(servers.standby.folder)"
      var configuration = PostgresConfiguration("postgresql://osd@/postgres?host=\(hosts)")
      configuration.connectTimeout = .seconds(30)
      configuration.acquireTimeout = .seconds(30)
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      try servers.makeSynchronous()
      let acknowledged = Lock<[String]>([])
      let failures = Lock<[String]>([])
      let isOver = Lock(false)
      let writers = (0..<3).map { writer in
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          var number = 0
          while !isOver.withLock({ $0 }) {
            let name = "h\(writer)-\(number)"
            number += 1
            let context = ModelContext(container)
            context.insert(Holder(name))
            do {
              try context.save()
              acknowledged.withLock { $0.append(name) }
            } catch {
              failures.withLock { $0.append("\(error)") }
            }
          }
          done.signal()
        }
        return done
      }
      #expect(await eventually { acknowledged.withLock { $0.count } >= 50 })
      let before = acknowledged.withLock { $0.count }
      try servers.primary.kill()
      try servers.standby.promote()
      let goesOn = await eventually { acknowledged.withLock { $0.count } > before + 50 }
      isOver.withLock { $0 = true }
      for writer in writers { writer.wait() }
      #expect(goesOn, "\(failures.withLock { $0 }.prefix(3))")
      let names = try ModelContext(container).fetch(FetchDescriptor<Holder>()).map(\.name)
      #expect(Set(names).count == names.count, "a save that went on is there once")
      let known = Set(names)
      let missing = acknowledged.withLock { $0 }.filter { !known.contains($0) }
      #expect(missing.isEmpty)
      #expect(failures.withLock { $0 }.isEmpty)
    }

    /// - Parameter program: The application name of the store's sessions on the standby.
    private func store(
      _ servers: ServerPair, _ consistency: PostgresConfiguration.ReadConsistency, namespace: String,
      program: String = "reader"
    ) throws -> ModelContainer {
      var configuration = PostgresConfiguration(servers.primary.url)
      configuration.namespace = namespace
      configuration.readerURLs = [servers.standby.url + "&application_name=\(program)"]
      configuration.readConsistency = consistency
      return try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
    }

    @Test("reads use the standby only if it has the program's own saves and those of received notifications")
    func ownWrites() async throws {
      let servers = try ServerPair()
      defer { servers.stop() }
      let container = try store(servers, .ownWrites, namespace: "own")
      func count(_ container: ModelContainer) throws -> Int {
        try ModelContext(container).fetchCount(FetchDescriptor<Holder>())
      }
      /// The number of statements for rows that the standby has executed.
      func asked() throws -> Int64 {
        let result = try servers.standby.connect().run(
          PostgresStatement(
            "SELECT coalesce(sum(calls), 0)::int8 FROM (SELECT count(*) AS calls FROM pg_stat_activity "
              + "WHERE query LIKE '%count(*)%Holder%' AND query NOT LIKE '%pg_stat_activity%') AS a"))
        return result.integer(0, 0) ?? 0
      }
      #expect(try count(container) == 0)
      let context = ModelContext(container)
      for number in 0..<20 {
        context.insert(Holder("h\(number)"))
        try context.save()
        #expect(try count(container) == number + 1)
      }
      #expect(
        try await eventually {
          _ = try count(container)
          return try asked() > 0
        })
      // While the standby lags, rows that it does not have are read from the primary.
      try servers.pause(true)
      context.insert(Holder("late"))
      try context.save()
      #expect(try count(container) == 21)
      // The save of another process is visible after its notification has arrived.
      let other = ModelContext(try store(servers, .primary, namespace: "own"))
      let reader = ModelContext(container)
      let found = try #require(
        try reader.fetch(FetchDescriptor<Holder>(predicate: #Predicate { $0.name == "h3" })).first)
      let theirs = try #require(
        try other.fetch(FetchDescriptor<Holder>(predicate: #Predicate { $0.name == "h3" })).first)
      theirs.note = "theirs"
      try other.save()
      #expect(
        try await eventually {
          _ = try reader.fetchCount(FetchDescriptor<Ship>())
          return found.note == "theirs"
        })
      try servers.pause(false)
    }

    @Test("the standby gets no query if the configuration requires all reads from the primary")
    func primary() async throws {
      let servers = try ServerPair()
      defer { servers.stop() }
      let primary = try store(servers, .primary, namespace: "primary", program: "never")
      let others = try store(servers, .eventual, namespace: "primary", program: "always")
      func sessions(_ program: String) throws -> Int64? {
        try servers.standby.connect().run(
          PostgresStatement("SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(program)'")
        ).integer(0, 0)
      }
      // The standby receives the store's tables a little later than the primary.
      #expect(
        try await eventually {
          _ = try? ModelContext(others).fetchCount(FetchDescriptor<Holder>())
          _ = try ModelContext(primary).fetchCount(FetchDescriptor<Holder>())
          return try sessions("always").map { $0 > 0 } == true
        })
      #expect(try sessions("never") == 0)
    }

    @Test("if stale reads are allowed, reads use the standby, and use the primary if the standby is down")
    func eventual() async throws {
      let servers = try ServerPair()
      defer { servers.stop() }
      let container = try store(servers, .eventual, namespace: "eventual")
      let context = ModelContext(container)
      #expect(try context.fetchCount(FetchDescriptor<Holder>()) == 0)
      context.insert(Holder("first"))
      try context.save()
      // The standby is paused only after it has the row. Until then the primary may answer the reads.
      let standby = try servers.standby.connect()
      let rows = PostgresStatement(#"SELECT count(*) FROM "eventual"."Holder""#)
      #expect(await eventually { (try? standby.run(rows).integer(0, 0)) == 1 })
      try servers.pause(true)
      context.insert(Holder("second"))
      try context.save()
      // A standby that did not answer in time is not asked again for a few seconds.
      #expect(try await eventually { try ModelContext(container).fetchCount(FetchDescriptor<Holder>()) == 1 })
      try servers.standby.kill()
      // The first read after the kill uses a lost session and throws.
      #expect(
        await eventually { (try? ModelContext(container).fetchCount(FetchDescriptor<Holder>())) == 2 })
    }
  }
#endif

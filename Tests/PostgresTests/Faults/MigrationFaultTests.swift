#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import MigrationWorkload
  import OpenSwiftData
  import PersistenceCore
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import SeededNumbers
  import Testing

  /// A store of the first version of the trip models on a server, and its expected contents.
  private struct OldStore {
    static let trips = 6

    let store: ServerStore
    let before: [[String?]]

    init(_ cluster: TestCluster? = nil) throws {
      store = try ServerStore(cluster)
      try TripStores.fill(TripStores.original(store.configuration), trips: Self.trips)
      before = try store.catalog().dump()
    }

    /// Migrates the store over a connection to another URL. Returns the error; nil if the migration succeeds.
    static func migrate(_ configuration: PostgresConfiguration, by url: String) -> (any Error)? {
      var other = PostgresConfiguration(url)
      other.namespace = configuration.namespace
      // Without notifications, nothing is sent after the COMMIT, so every error is an error of the migration.
      other.propagation = .off
      do {
        _ = try TripStores.migrated(other)
        return nil
      } catch {
        return error
      }
    }

    /// Waits until the server has ended the sessions of a program that has disconnected.
    func waitForEnd() throws {
      let catalog = try store.catalog()
      let others =
        "SELECT 1 FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation JOIN pg_namespace AS n "
        + "ON n.oid = c.relnamespace WHERE n.nspname = '\(store.configuration.namespace)' AND l.pid <> pg_backend_pid()"
      guard try waitUntil({ try catalog.rows(others).isEmpty }) else { throw NotEnded() }
    }

    private struct NotEnded: Error {}

    /// The version of the store's schema; nil if a migration has left temporary tables or other remains.
    func version() throws -> Int? {
      let catalog = try store.catalog()
      guard try catalog.problems().isEmpty else { return nil }
      let json = try catalog.rows("SELECT value FROM _osd_metadata WHERE key = 'schema'").first?[0] ?? ""
      return try JSONDecoder().decode(Schema.self, from: Data(json.utf8)).version.major
    }

    /// Checks the store after a migration, then migrates it if it still has the old version, and checks its rows.
    ///
    /// - Parameter error: The error of the first migration; nil if it succeeded.
    /// - Returns: The problems.
    func problems(after error: (any Error)?) throws -> [String] {
      try waitForEnd()
      var problems: [String] = []
      let version = try version()
      if version != (error == nil ? 3 : 1) {
        problems.append("version \(version as Any), and the error \(error as Any)")
      }
      if let error {
        if (error as? SwiftDataError) != .storeUnreachable { problems.append("another error: \(error)") }
        if try store.catalog().dump() != before { problems.append("the old store is not what it was") }
      }
      let migrated = try TripStores.migrated(store.configuration)
      return try problems + TripStores.problems(of: migrated, trips: Self.trips)
    }
  }

  /// Covers cuts, torn messages, delays and silence, from connecting to the open container. A soak test causes them at
  /// every message; an ordinary run at a few random ones.
  @Suite("Migrations with a network fault or a server fault", .serialized, .timeLimit(.minutes(20)))
  struct MigrationFaultTests {
    /// The error and the duration of a migration with a fault.
    private struct Attempt {
      var error: (any Error)?
      var time: Duration
      var hasHappened: Bool
      var counts: (requests: Int, answers: Int)
    }

    /// Runs the block with the URL of a proxy that causes the fault.
    private static func attempt(
      _ cluster: TestCluster, _ fault: TestProxy.Fault?, _ body: (String) -> (any Error)?
    ) throws -> Attempt {
      let proxy = try TestProxy(to: cluster.socket)
      defer { proxy.stop() }
      proxy.arm(fault)
      let start = ContinuousClock.now
      let error = body(proxy.url)
      return Attempt(
        error: error, time: start.duration(to: .now), hasHappened: !proxy.isArmed, counts: proxy.counts)
    }

    private static func migrate(_ old: OldStore, _ fault: TestProxy.Fault?) throws -> Attempt {
      try attempt(old.store.cluster, fault) { OldStore.migrate(old.store.configuration, by: $0) }
    }

    /// Creates a store of the first version.
    private static func make(_ store: ServerStore, _ fault: TestProxy.Fault?) throws -> Attempt {
      try attempt(store.cluster, fault) { url in
        var configuration = PostgresConfiguration(url)
        configuration.namespace = store.configuration.namespace
        configuration.propagation = .off
        do {
          _ = try TripStores.original(configuration)
          return nil
        } catch {
          return error
        }
      }
    }

    private static func counts() throws -> (requests: Int, answers: Int) {
      let result = try migrate(OldStore(), nil)
      #expect(result.error == nil)
      return result.counts
    }

    @Test("the store is then completely old or completely new, and the migration reports which")
    func cuts() throws {
      let run = FaultRun("migration", [.cut, .delay], counts: try Self.counts(), milliseconds: 15, few: 4, width: 4)
      run.run(within: .seconds(20)) { try Self.outcome($0) }
    }

    @Test("the store is completely old or completely new even if a message is torn or a connection stops responding")
    func tears() throws {
      // The proxy closes a silent connection after 400 milliseconds.
      let run = FaultRun(
        "migration", [.tear, .silence], counts: try Self.counts(), milliseconds: 400, few: 3, step: 3, width: 6)
      run.run(within: .seconds(20)) { try Self.outcome($0) }
    }

    private static func outcome(_ fault: TestProxy.Fault) throws -> (FaultRun.Outcome, Duration) {
      let old = try OldStore()
      let result = try migrate(old, fault)
      var outcome = FaultRun.Outcome(
        end: result.error == nil ? "migrated" : "as it was", hasHappened: result.hasHappened)
      outcome.problems = try old.problems(after: result.error)
      if fault.kind == .delay, let error = result.error { outcome.problems.append("a delay was an error: \(error)") }
      return (outcome, result.time)
    }

    @Test("a missing store is created completely or not at all, and can be opened afterwards")
    func creation() throws {
      let run = FaultRun(
        "creation", [.cut, .tear, .delay], counts: try Self.make(ServerStore(), nil).counts, milliseconds: 15, few: 3)
      run.run(within: .seconds(20)) { fault in
        let store = try ServerStore()
        let made = try Self.make(store, fault)
        var outcome = FaultRun.Outcome(end: made.error == nil ? "made" : "an error", hasHappened: made.hasHappened)
        if let error = made.error, fault.kind == .delay || (error as? SwiftDataError) != .storeUnreachable {
          outcome.problems.append("\(error)")
        }
        let container = try TripStores.original(store.configuration)
        try TripStores.fill(container, trips: 2)
        outcome.problems += try TripStores.originalProblems(of: container, trips: 2) + store.catalog().problems()
        return (outcome, made.time)
      }
    }

    @Test("a migration succeeds if only the acknowledgement of its COMMIT is lost, because the engine asks the server")
    func lostAnswer() throws {
      let old = try OldStore()
      let proxy = try TestProxy(to: old.store.cluster.socket)
      defer { proxy.stop() }
      proxy.cutsAnswer(after: "COMMIT\0")
      let error = OldStore.migrate(old.store.configuration, by: proxy.url)
      #expect(!proxy.isWatching, "there was a commit")
      #expect(error == nil)
      #expect(try old.problems(after: error) == [])
    }

    @Test("a migration whose session ends during the commit is rolled back and throws")
    func lostCommit() throws {
      let old = try OldStore()
      let connection = try old.store.catalog().connection
      try connection.execute(
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
          + "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; "
          + "CREATE CONSTRAINT TRIGGER die AFTER UPDATE ON _osd_metadata DEFERRABLE INITIALLY DEFERRED "
          + "FOR EACH ROW WHEN (NEW.key = 'schema') EXECUTE FUNCTION die()")
      let error = OldStore.migrate(old.store.configuration, by: old.store.configuration.url)
      #expect((error as? SwiftDataError)?.explanation?.contains("Nothing was changed") == true)
      try old.waitForEnd()
      try connection.execute("DROP TRIGGER die ON _osd_metadata; DROP FUNCTION die()")
      #expect(try old.problems(after: error) == [])
    }

    @Test("if the server is killed, the store is completely old or completely new")
    func killedServer() throws {
      let cluster = try TestCluster()
      defer { cluster.stop() }
      let seed = RandomTesting.seed
      var random = SeededGenerator(seed: seed)
      let whole = try OldStore(cluster)
      let duration = ContinuousClock().measure {
        #expect(OldStore.migrate(whole.store.configuration, by: cluster.url) == nil)
      }
      var counts: [String: Int] = [:]
      for _ in 0..<4 * RandomTesting.soak {
        let old = try OldStore(cluster)
        let configuration = old.store.configuration
        let end = DispatchSemaphore(value: 0)
        let told = Lock<(any Error)?>(nil)
        Thread.detachNewThread {
          let error = OldStore.migrate(configuration, by: configuration.url)
          told.withLock { $0 = error }
          end.signal()
        }
        // The kill happens at a random time, because the migration does not report its progress.
        letTimePass(upTo: duration, using: &random)
        try cluster.kill()
        try cluster.start()
        // If the COMMIT is not acknowledged, the migration asks for the outcome until the connect timeout elapses.
        try #require(end.wait(timeout: .now() + 40) == .success, "seed \(seed)")
        let error = told.withLock { $0 }
        #expect(try old.problems(after: error) == [], "seed \(seed)")
        counts[error == nil ? "migrated" : "as it was", default: 0] += 1
      }
      print("Servers killed during a migration, seed \(seed): \(counts.sorted { $0.key < $1.key })")
      RandomTesting.note("servers killed during a migration", counts.values.reduce(0, +))
    }
  }
#endif

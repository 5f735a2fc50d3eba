#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import SeededNumbers
  import Testing

  /// The results of all saves, as the saving threads observed them.
  private struct Told: Sendable {
    var saved: Set<String> = []
    var refused: [String: String] = [:]
    var unknown: Set<String> = []
    var longest: Duration = .zero
  }

  @Suite("A server that is killed while programs save", .serialized, .timeLimit(.minutes(10)))
  final class KilledServerTests: Sendable {
    private let cluster: TestCluster
    private let container: ModelContainer
    /// The application name of the store's sessions on the server.
    private let program: String
    private let told = Lock(Told())
    private let isOver = Lock(false)

    init() throws {
      let cluster = try TestCluster()
      let program = "killed\(UUID().uuidString.prefix(8))"
      (self.cluster, self.program) = (cluster, program)
      var configuration = PostgresConfiguration(cluster.url + "&application_name=\(program)")
      configuration.connectTimeout = .seconds(20)
      configuration.acquireTimeout = .seconds(20)
      container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
    }

    /// Repeatedly saves a holder with a holding, and records whether the save succeeded.
    private func write(_ writer: Int) {
      var number = 0
      while !isOver.withLock({ $0 }) {
        let name = "h\(writer)-\(number)"
        number += 1
        let context = ModelContext(container)
        let holder = Holder(name)
        context.insert(holder)
        holder.holdings = [Holding(name)]
        let start = ContinuousClock.now
        let result = Result { try context.save() }
        let time = start.duration(to: .now)
        told.withLock { told in
          told.longest = max(told.longest, time)
          switch result {
          case .success: told.saved.insert(name)
          case .failure(let error) where UnknownOutcome.isCause(of: error): told.unknown.insert(name)
          case .failure(let error): told.refused[name] = "\(error)"
          }
        }
        // While the server is down, each save throws at once. So this loop waits until it accepts connections again.
        if case .failure = result { _ = waitUntil(within: .seconds(20)) { (try? cluster.connect().close()) != nil } }
      }
    }

    private var savedCount: Int { told.withLock { $0.saved.count } }

    /// Kills the server's main process, or one of its other processes, after which the server ends all sessions.
    private func kill(_ wholeServer: Bool) async throws {
      guard !wholeServer else {
        try cluster.kill()
        return try cluster.start()
      }
      let connection = try cluster.connect()
      let process = try connection.run(
        PostgresStatement(
          "SELECT pid FROM pg_stat_activity WHERE application_name = '\(program)' ORDER BY random() LIMIT 1"))
      Foundation.kill(pid_t(try #require(process.integer(0, 0))), SIGKILL)
      #expect(await eventually(within: .seconds(30)) { (try? connection.execute("SELECT 1")) == nil })
    }

    @Test(
      "the server has every acknowledged save completely and no failed save, and programs continue without a restart")
    func kills() async throws {
      defer { cluster.stop() }
      let seed = RandomTesting.seed
      var random = SeededGenerator(seed: seed)
      let writers = (0..<3).map { writer in
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
          write(writer)
          done.signal()
        }
        return done
      }
      let rounds = 2 * RandomTesting.soak
      for round in 0..<rounds {
        // Waits for a random number of saves before the next kill.
        let next = savedCount + Int.random(in: 20...200, using: &random)
        #expect(await eventually(within: .seconds(60)) { savedCount >= next }, "seed \(seed)")
        let before = savedCount
        try await kill(round.isMultiple(of: 2))
        #expect(await eventually(within: .seconds(60)) { savedCount > before + 30 }, "they go on; seed \(seed)")
      }
      isOver.withLock { $0 = true }
      for writer in writers { try #require(writer.wait(timeout: .now() + 60) == .success) }
      let told = told.withLock { $0 }
      print(
        "Servers killed during saves, seed \(seed): \(rounds); saves acknowledged: \(told.saved.count), refused: "
          + "\(told.refused.count), of unknown outcome: \(told.unknown.count)")
      RandomTesting.note("servers killed during saves", rounds)
      try check(told, seed)
    }

    private func check(_ told: Told, _ seed: UInt64) throws {
      let context = ModelContext(container)
      let names = try context.fetch(FetchDescriptor<Holder>()).map(\.name)
      let holdings = try context.fetch(FetchDescriptor<Holding>()).map(\.title)
      #expect(Set(names).count == names.count, "each is there once")
      #expect(names.sorted() == holdings.sorted(), "each is there whole")
      let found = Set(names)
      #expect(told.saved.subtracting(found).isEmpty, "an acknowledged save is missing; seed \(seed)")
      #expect(found.subtracting(told.saved).isSubset(of: told.unknown), "a refused save is there; seed \(seed)")
      // The server restarts before the timeouts elapse, so each save learns its outcome.
      #expect(told.unknown.isEmpty, "seed \(seed)")
      #expect(told.longest < .seconds(40))
    }
  }
#endif

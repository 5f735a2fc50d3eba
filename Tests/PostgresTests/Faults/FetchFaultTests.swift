#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  /// A store with some rows, and a container that connects to it through a proxy.
  private struct FilledStore {
    let proxy: TestProxy
    let container: ModelContainer

    private static let namespace = "Fetches \(UUID().uuidString)"
    private static let isFilled = Result {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = namespace
      let context = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      for number in 0..<8 {
        let holder = Holder("h\(number)", number: number)
        context.insert(holder)
        holder.holdings = [Holding("of \(number)"), Ship("boat \(number)", mark: "\(number)")]
      }
      try context.save()
    }

    /// - Parameter program: The application name of the container's sessions on the server.
    init(_ program: String = "fetching", _ change: (inout PostgresConfiguration) -> Void = { _ in }) throws {
      try Self.isFilled.get()
      proxy = try TestProxy(to: TestCluster.shared.get().socket)
      var configuration = PostgresConfiguration(proxy.url + "&application_name=\(program)")
      configuration.namespace = Self.namespace
      configuration.maximumConnections = 3
      configuration.acquireTimeout = .seconds(5)
      configuration.propagation = .off
      change(&configuration)
      container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      for _ in 0..<3 { _ = try fetch() }
    }

    /// Fetches all holders, and prefetches their holdings.
    func fetch() throws -> FetchedHolders {
      var descriptor = FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.number)])
      descriptor.relationshipKeyPathsForPrefetching = [\.holdings]
      let context = ModelContext(container)
      return FetchedHolders(context: context, holders: try context.fetch(descriptor))
    }
  }

  private struct FetchedHolders {
    /// The context is kept, because the holders need it.
    let context: ModelContext
    let holders: [Holder]

    /// The differences between the fetched holders and the rows of the store.
    var problems: [String] {
      let isWhole = holders.map(\.name) == (0..<8).map { "h\($0)" } && holders.map(\.number) == Array(0..<8)
      guard isWhole else { return ["it has only \(holders.map(\.name))"] }
      let titles = holders.map { Set($0.holdings.map(\.title)) }
      return titles == (0..<8).map { ["of \($0)", "boat \($0)"] } ? [] : ["it has other holdings: \(titles)"]
    }
  }

  /// Covers cuts, torn messages, delays and silence. A soak test causes them at every message of a fetch; an ordinary
  /// run at a few random ones.
  @Suite("Fetches with a network fault", .serialized, .timeLimit(.minutes(10)))
  struct FetchFaultTests {
    /// The numbers of messages of a fetch without a fault.
    private static func counts() throws -> (requests: Int, answers: Int) {
      let store = try FilledStore()
      defer { store.proxy.stop() }
      return try FaultRun.fewestMessages(of: 8) { _ in try store.proxy.counting { _ = try store.fetch() } }
    }

    /// Fetches with the fault, and then once more without a fault, which must succeed.
    private static func outcome(
      _ fault: TestProxy.Fault, in store: FilledStore
    ) throws -> (FaultRun.Outcome, Duration) {
      let (result, time, hasHappened) = store.proxy.during(fault) { try store.fetch() }
      var outcome = FaultRun.Outcome(end: "fetched", hasHappened: hasHappened)
      switch result {
      case .success(let found): outcome.problems = found.problems
      case .failure(let error):
        outcome.end = "an error"
        if (error as? SwiftDataError) != .storeUnreachable { outcome.problems.append("\(error)") }
        if fault.kind == .delay { outcome.problems.append("a delay was an error: \(error)") }
      }
      outcome.problems += try store.fetch().problems.map { "the next one: \($0)" }
      return (outcome, time)
    }

    @Test("a fetch with a fault reads everything or throws, and the next fetch works")
    func cuts() throws {
      let run = FaultRun("fetch", [.cut, .tear, .delay], counts: try Self.counts(), milliseconds: 30, few: 4)
      run.run(within: .seconds(10)) { fault in
        let store = try FilledStore()
        defer { store.proxy.stop() }
        return try Self.outcome(fault, in: store)
      }
    }

    @Test("a fetch ends within its timeouts if no further message arrives")
    func silence() throws {
      let run = FaultRun("fetch", [.silence], counts: try Self.counts(), milliseconds: 0, few: 4, width: 24)
      // The statement timeout of one second, five seconds until the connection is considered lost, and a margin for a
      // busy machine.
      run.run(within: .seconds(15)) { fault in
        let store = try FilledStore { ($0.statementTimeout, $0.connectTimeout) = (.seconds(1), .seconds(1)) }
        defer { store.proxy.stop() }
        return try Self.outcome(fault, in: store)
      }
    }

    @Test("a cancelled fetch ends within its timeouts if no message arrives, not even the request to cancel")
    func cancelledInSilence() async throws {
      let store = try FilledStore { ($0.statementTimeout, $0.connectTimeout) = (.seconds(1), .seconds(1)) }
      let database = ModelDatabase(modelContainer: store.container)
      #expect(try await database.withModelContext { try $0.fetchCount(FetchDescriptor<Holder>()) } == 8)
      store.proxy.arm(.silence(0))
      let isOver = Lock(false)
      let task = Task {
        defer { isOver.withLock { $0 = true } }
        return try await database.withModelContext { try $0.fetch(FetchDescriptor<Holder>()).count }
      }
      #expect(await eventually { store.proxy.isSilent })
      task.cancel()
      // The statement timeout of one second, five seconds until the connection is considered lost, and a margin for a
      // busy machine.
      #expect(await eventually(within: .seconds(12)) { isOver.withLock { $0 } })
      store.proxy.stop()
      await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test("a fetch reads everything or throws while the server ends sessions")
    func endedSessions() throws {
      let cluster = try TestCluster.shared.get()
      let program = "fetching\(UUID().uuidString.prefix(8))"
      let store = try FilledStore(program)
      defer { store.proxy.stop() }
      let killer = try cluster.connect()
      var (whole, failed, ended) = (0, 0, Int64(0))
      for round in 0..<60 * RandomTesting.soak {
        let delay = Duration.microseconds(round % 3 * 300)
        let isOver = DispatchSemaphore(value: 0)
        let told = Lock<Result<[String], any Error>?>(nil)
        Thread.detachNewThread {
          let result = Result { try store.fetch().problems }
          told.withLock { $0 = result }
          isOver.signal()
        }
        // One in three sessions is ended at once, the others at some time during a fetch.
        letTimePass(delay)
        let sessions = try killer.run(
          PostgresStatement(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '\(program)'"))
        ended += sessions.integer(0, 0) ?? 0
        try #require(isOver.wait(timeout: .now() + 20) == .success)
        switch told.withLock({ $0 }) {
        case .success(let problems)?:
          #expect(problems == [])
          whole += 1
        case .failure(let error)?:
          #expect((error as? SwiftDataError) == .storeUnreachable)
          failed += 1
        case nil: Issue.record("no result")
        }
      }
      print("Sessions ended during fetches: \(ended); fetches that read everything: \(whole), that threw: \(failed)")
      RandomTesting.note("sessions ended during fetches", Int(ended))
      #expect(ended > 10)
      #expect(try store.fetch().problems == [])
    }
  }
#endif

#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresSQL
  import PostgresSupport
  import SQLEngine
  import Testing

  @testable import PostgresStore

  /// A store that is accessed through a proxy, and a direct connection that reads its tables.
  private struct DisturbedStore {
    let proxy: TestProxy
    let direct: PostgresConnection
    let configuration: PostgresConfiguration
    let container: ModelContainer

    init(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws {
      let cluster = try TestCluster.shared.get()
      proxy = try TestProxy(to: cluster.socket)
      direct = try cluster.connect()
      var configuration = PostgresConfiguration(proxy.url)
      configuration.namespace = "Disturbed \(UUID().uuidString)"
      configuration.maximumConnections = 3
      configuration.acquireTimeout = .seconds(5)
      // Without notifications there is no second connection, which the fault could affect instead of the save's
      // connection.
      configuration.propagation = .off
      change(&configuration)
      self.configuration = configuration
      container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
    }

    func count(_ table: String = "Holder", _ condition: String = "true") throws -> Int64 {
      let result = try direct.run(
        PostgresStatement("SELECT count(*) FROM \"\(configuration.namespace)\".\"\(table)\" WHERE \(condition)"))
      return result.integer(0, 0) ?? -1
    }
  }

  /// Returns true if the error reports that the outcome of a save is unknown.
  private func isUnknown(_ error: any Error) -> Bool { UnknownOutcome.isCause(of: error) }

  @Suite("Saves whose connection is lost", .serialized, .timeLimit(.minutes(10)))
  struct LostAnswerTests {
    /// A soak test cuts the connection at every message, an ordinary run at one in seven.
    private static let step = RandomTesting.soak > 1 ? 1 : 7

    enum Kind: String, CaseIterable, Sendable {
      case request, answer

      func fault(at number: Int) -> TestProxy.Fault { self == .request ? .cutRequest(number) : .cutAnswer(number) }
    }

    /// Saves a new holder, a changed holder, a list and a replaced relationship.
    private func save(_ round: Int, in container: ModelContainer) throws {
      let context = ModelContext(container)
      var descriptor = FetchDescriptor<Holder>(predicate: #Predicate { $0.name == "first" })
      // Without the limit, a read of several rows might send one more message.
      descriptor.fetchLimit = 1
      let first = try context.fetch(descriptor)[0]
      first.note = "round \(round)"
      let new = Holder("new \(round)", number: round)
      context.insert(new)
      new.holdings = [Holding("of \(round)"), Ship("boat", mark: "b")]
      first.friends = [new]
      try context.save()
    }

    private func prepare(_ store: DisturbedStore) throws {
      let context = ModelContext(store.container)
      context.insert(Holder("first", number: -1))
      try context.save()
      // This save reserves the next keys. Afterwards each save sends the same messages.
      try save(1_000_000, in: store.container)
    }

    /// Expects that all changes of the round are stored, or none. Returns true if they are.
    private func isSaved(_ round: Int, in store: DisturbedStore) throws -> Bool {
      let holder = try store.count("Holder", "name = 'new \(round)'") == 1
      let holding = try store.count("Holding", "title = 'of \(round)'") == 1
      let note = try store.count("Holder", "name = 'first' AND note = 'round \(round)'") == 1
      #expect(holder == holding)
      #expect(holder == note)
      return holder
    }

    @Test(
      "a save is retried and stored once, regardless of the message at which the connection is cut",
      arguments: Kind.allCases)
    func goesOn(_ kind: Kind) throws {
      // The save also writes a notification row. It proves the commit if the connection is lost before the engine
      // learns the transaction ID.
      let store = try DisturbedStore { $0.propagation = .polling(interval: .seconds(600)) }
      defer { store.proxy.stop() }
      try prepare(store)
      var number = 0
      while true {
        store.proxy.arm(kind.fault(at: number))
        do {
          try save(number, in: store.container)
          #expect(try isSaved(number, in: store))
        } catch {
          // Only the fetch before the save can throw: it is not retried if some of its rows had arrived.
          #expect((error as? SwiftDataError) == .storeUnreachable)
          #expect(try !isSaved(number, in: store))
        }
        let isDone = store.proxy.isArmed
        store.proxy.arm(nil)
        if isDone { break }
        number += Self.step
      }
      #expect(number > 20)
    }

    @Test(
      "a save whose transaction has not begun continues on another connection without a retry", arguments: Kind.allCases
    )
    func beforeTransaction(_ kind: Kind) throws {
      let store = try DisturbedStore { $0.saveRetries = 0 }
      defer { store.proxy.stop() }
      var (number, saved) = (0, [Bool]())
      while true {
        // A new container has no reserved keys. So its first save queries the server's start, reserves keys, and begins
        // a transaction.
        let container = try ModelContainer(for: Holder.self, Ship.self, configurations: store.configuration)
        let context = ModelContext(container)
        for index in 0..<3 { context.insert(Holder("new \(number) \(index)", number: index)) }
        store.proxy.arm(kind.fault(at: number))
        var failure: (any Error)?
        do { try context.save() } catch { failure = error }
        let isDone = store.proxy.isArmed
        store.proxy.arm(nil)
        let count = try store.count("Holder", "name LIKE 'new \(number) %'")
        #expect(count == (failure == nil ? 3 : 0), "\(number): \(String(describing: failure))")
        if isDone { break }
        saved.append(failure == nil)
        number += 1
      }
      #expect(saved.prefix(2) == [true, true])
      #expect(saved.contains(false))
    }

    @Test("a save without retries reports correctly whether it was stored", arguments: Kind.allCases)
    func says(_ kind: Kind) throws {
      let store = try DisturbedStore { $0.saveRetries = 0 }
      defer { store.proxy.stop() }
      try prepare(store)
      var (number, lost, saved) = (0, 0, 0)
      while true {
        store.proxy.arm(kind.fault(at: number))
        var failure: (any Error)?
        do { try save(number, in: store.container) } catch { failure = error }
        let isSaved = try isSaved(number, in: store)
        if let failure {
          #expect(!isUnknown(failure), "the server was there to be asked")
          #expect(!isSaved)
          lost += 1
        } else {
          #expect(isSaved)
          saved += 1
        }
        let isDone = store.proxy.isArmed
        store.proxy.arm(nil)
        if isDone { break }
        number += Self.step
      }
      #expect(lost > 0)
      #expect(saved > 0)
    }

    @Test("a save succeeds if only the acknowledgement of its COMMIT is lost, because the engine asks the server")
    func lostAnswer() throws {
      let store = try DisturbedStore { $0.saveRetries = 0 }
      defer { store.proxy.stop() }
      try prepare(store)
      // Counts the server's messages of a save; the last ones acknowledge the COMMIT. The saves before it prepare the
      // statements, which causes messages too.
      for round in 3..<6 { try save(round, in: store.container) }
      store.proxy.arm(nil)
      try save(1, in: store.container)
      let answers = store.proxy.counts.answers
      store.proxy.arm(.cutAnswer(answers - 2))
      try save(2, in: store.container)
      #expect(!store.proxy.isArmed)
      #expect(try isSaved(2, in: store))
    }

    @Test(
      "if no server can be reached, the outcome of a save is unknown, and the next save determines it",
      arguments: [false, true])
    func unreachable(_ isCommitted: Bool) throws {
      let store = try DisturbedStore {
        ($0.acquireTimeout, $0.connectTimeout) = (.seconds(2), .seconds(2))
      }
      defer { store.proxy.stop() }
      let context = ModelContext(store.container)
      context.insert(Holder("Ann"))
      try context.save()
      for number in 0..<3 {
        context.insert(Holder("before \(number)"))
        try context.save()
      }
      store.proxy.arm(nil)
      context.insert(Holder("Bob"))
      try context.save()
      let counts = store.proxy.counts
      context.insert(Holder("Cid"))
      // The COMMIT is the last statement. The connection is cut there, and new connections are rejected.
      store.proxy.arm(isCommitted ? .cutAnswer(counts.answers - 2) : .cutRequest(counts.requests - 2))
      store.proxy.refusesConnections = true
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error.map { isUnknown($0) } == true)
      store.proxy.refusesConnections = false
      try context.save()
      #expect(try store.count("Holder", "name = 'Cid'") == 1)
      #expect(try ModelContext(store.container).fetchCount(FetchDescriptor<Holder>()) == 6)
    }

    @Test("a save waits for its outcome no longer than its timeout if the other connections do not respond")
    func silentQuestion() throws {
      // The configuration sets no timeout for statements and their results.
      let store = try DisturbedStore {
        ($0.acquireTimeout, $0.connectTimeout, $0.saveRetries) = (.seconds(1), .seconds(1), 0)
      }
      let (container, proxy) = (store.container, store.proxy)
      let context = ModelContext(container)
      for number in 0..<4 {
        context.insert(Holder("before \(number)"))
        try context.save()
      }
      // This transaction opens a second connection, which is idle afterwards.
      try context.transaction {
        context.insert(Holder("within"))
        try context.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Holder>()) == 4)
      }
      proxy.arm(nil)
      context.insert(Holder("Ann"))
      try context.save()
      let answers = proxy.counts.answers
      let told = Lock<(any Error)?>(nil)
      let isOver = DispatchSemaphore(value: 0)
      proxy.fallsSilentWithCut = true
      proxy.arm(.cutAnswer(answers - 2))
      Thread.detachNewThread {
        let context = ModelContext(container)
        context.insert(Holder("Bob"))
        do { try context.save() } catch { told.withLock { $0 = error } }
        isOver.signal()
      }
      let hasEnded = isOver.wait(timeout: .now() + 15) == .success
      proxy.fallsSilentWithCut = false
      proxy.arm(nil)
      // Stopping the proxy ends the save even if it still waits.
      proxy.stop()
      #expect(hasEnded)
      #expect(told.withLock { $0 }.map { isUnknown($0) } == true)
      #expect(try store.count("Holder", "name = 'Bob'") == 1)
    }

    @Test("an outcome is found by the transaction ID until the server restarts, and then by the save's notification")
    func numbersGivenAgain() throws {
      let store = try DisturbedStore()
      defer { store.proxy.stop() }
      let dialect = PostgresDialect(namespace: store.configuration.namespace)
      let session = PostgresSession(
        store.direct, dialect: dialect, memory: StatementMemory(dialect.mapping(of: []), dialect: dialect))
      let news = PostgresNewsTable(dialect: dialect)
      func number(_ statement: PostgresStatement) throws -> String {
        try #require(try store.direct.run(statement).text(0, 0))
      }
      let other = try number(PostgresStatement("SELECT pg_current_xact_id()::text"))
      let own = try number(news.insertion("{}", origin: 1, save: 5))
      let run = try #require(store.direct.serverRun)
      func outcome(_ number: String, run: String, save: Int64?) throws -> UncertainCommit.Outcome {
        try session.outcome(
          of: UncertainCommit(
            transaction: number, run: run, process: nil, loss: .now,
            witness: try save.map { try news.find(number, save: $0) }))
      }
      #expect(try outcome(other, run: run, save: nil) == .committed)
      #expect(try outcome(own, run: "before", save: 5) == .committed)
      // After a restart the same transaction ID may belong to another transaction, so that its commit proves nothing.
      #expect(try outcome(other, run: "before", save: 5) == .undone)
      #expect(try outcome(own, run: "before", save: 6) == .undone)
      #expect(try outcome(other, run: "before", save: nil) == .unknown)
      #expect(try outcome("999999999999", run: "before", save: nil) == .undone)
      let transaction = try TestCluster.shared.get().connect()
      try transaction.execute("BEGIN")
      let running = try #require(
        try transaction.run(PostgresStatement("SELECT pg_current_xact_id()::text")).text(0, 0))
      #expect(try outcome(running, run: run, save: nil) == .running)
      try transaction.execute("ROLLBACK")
      #expect(try outcome(running, run: run, save: nil) == .undone)
    }

    @Test("a crash of the server is detected, and none is reported without a crash")
    func runs() throws {
      let cluster = try TestCluster()
      defer { cluster.stop() }
      let run = try #require(try cluster.connect().serverRun)
      #expect(try cluster.connect().serverRun == run)
      // After the crash of one of its processes, the server's main process continues and ends all sessions.
      let connection = try cluster.connect()
      let process = try #require(try connection.run(PostgresStatement("SELECT pg_backend_pid()")).integer(0, 0))
      kill(pid_t(process), SIGKILL)
      let isAnother = waitUntil {
        let next = try? cluster.connect().serverRun
        return next != nil && next != run
      }
      #expect(isAnother)
    }
  }
#endif

#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  @Suite("A connection with faults")
  struct ConnectionFaultTests {
    /// A statement that runs until it is cancelled, and that another session identifies by its text.
    private static func longStatement() -> String { "SELECT pg_sleep(50), '\(UUID().uuidString)'" }

    /// Whether the server has started a statement.
    private static func isRunning(_ statement: String, by watch: PostgresConnection) throws -> Bool {
      let text = statement.replacingOccurrences(of: "'", with: "''")
      let result = try watch.run(
        PostgresStatement(
          "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = '\(text)'"))
      return result.integer(0, 0) == 1
    }

    @Test("throws when the server is killed, and for each later call", .timeLimit(.minutes(2)))
    func killedServer() throws {
      let cluster = try TestCluster()
      defer { cluster.stop() }
      let connection = try cluster.connect()
      try connection.execute("CREATE TABLE t (key int8); INSERT INTO t VALUES (1)")
      let rows = try connection.rows(of: PostgresStatement("SELECT n FROM generate_series(1, 20000000) AS n"))
      _ = try rows.next()
      try cluster.kill()
      // The process of a session continues until it notices, and may send all rows of the session.
      rows.close()
      let error = #expect(throws: SwiftDataError.self) { for _ in 0..<100_000 { try connection.execute("SELECT 1") } }
      #expect(error == .storeUnreachable)
      #expect(!connection.isOpen)
      let other = #expect(throws: SwiftDataError.self) { try cluster.connect { $0.connectTimeout = .seconds(2) } }
      #expect(other == .storeUnreachable)
    }

    @Test("throws when its session ends, including in the middle of a pipeline", arguments: [false, true])
    func endedSession(_ isPipeline: Bool) throws {
      let cluster = try TestCluster.shared.get()
      let (connection, other) = (try cluster.connect(), try cluster.connect())
      let process = try #require(try connection.run(PostgresStatement("SELECT pg_backend_pid()")).integer(0, 0))
      try connection.execute("CREATE TEMPORARY TABLE t (key int8)")
      let sleep = PostgresStatement("SELECT pg_sleep(20)")
      if isPipeline {
        let statements = [PostgresStatement("SELECT pg_terminate_backend(pg_backend_pid())"), sleep, sleep]
        let error = #expect(throws: SwiftDataError.self) { try connection.run(statements) }
        #expect(error == .storeUnreachable)
      } else {
        try other.execute("SELECT pg_terminate_backend(\(process))")
        let error = #expect(throws: SwiftDataError.self) { try connection.run(sleep) }
        #expect(error == .storeUnreachable)
      }
      #expect(!connection.isOpen)
    }

    @Test("cancels a statement when the task is cancelled", .timeLimit(.minutes(10)))
    func cancelledTask() async throws {
      let statement = Self.longStatement()
      let task = Task {
        let connection = try TestCluster.shared.get().connect()
        do {
          try connection.watchingCancellation { try connection.execute(statement) }
          return false
        } catch is CancellationError {
          try connection.execute("SELECT 1")
          return true
        }
      }
      let watch = try TestCluster.shared.get().connect()
      #expect(try await eventually { try Self.isRunning(statement, by: watch) })
      task.cancel()
      #expect(try await task.value)
    }

    @Test(
      "cancels a statement in the middle of its rows when the task is cancelled", .timeLimit(.minutes(10)),
      arguments: [false, true])
    func cancelledRows(areCopied: Bool) async throws {
      let task = Task {
        let connection = try TestCluster.shared.get().connect()
        // Each row fills the buffer of the server, so that the row is sent.
        let slow = PostgresStatement("SELECT repeat('x', 20000), pg_sleep(0.2)::text FROM generate_series(1, 500)")
        let rows =
          areCopied
          ? try connection.copiedRows(of: slow, watchesTask: true) : try connection.rows(of: slow, watchesTask: true)
        var count = 0
        do {
          while try rows.nextRows() != nil {
            count += 1
            withUnsafeCurrentTask { $0?.cancel() }
          }
          return -1
        } catch is CancellationError {
          try connection.execute("SELECT 1")
          return count
        }
      }
      let count = try await task.value
      #expect((1..<100).contains(count))
    }

    @Test("cancels a statement when another thread cancels it", .timeLimit(.minutes(10)))
    func cancelledStatement() throws {
      let cluster = try TestCluster.shared.get()
      let connection = try cluster.connect()
      let canceller = try #require(connection.makeCanceller())
      let statement = Self.longStatement()
      Thread.detachNewThread {
        // A server that has not started the statement yet ignores the request.
        guard let watch = try? cluster.connect() else { return }
        if (try? waitUntil { try Self.isRunning(statement, by: watch) }) == true { canceller.cancel() }
      }
      let error = #expect(throws: SwiftDataError.self) { try connection.execute(statement) }
      #expect((error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "57014")
    }

    @Test("never waits longer than the timeouts of statements, locks and answers", .timeLimit(.minutes(10)))
    func timeouts() throws {
      let cluster = try TestCluster.shared.get()
      let (owner, namespace) = try cluster.connectToNamespace()
      try owner.execute("CREATE TABLE \"\(namespace)\".t (key int8)")
      try owner.execute("BEGIN; LOCK TABLE \"\(namespace)\".t")
      let slow = try cluster.connect { $0.statementTimeout = .milliseconds(200) }
      let late = #expect(throws: SwiftDataError.self) { try slow.execute("SELECT pg_sleep(20)") }
      #expect(late == .storeBusy)
      let waiting = try cluster.connect { $0.lockTimeout = .milliseconds(200) }
      let locked = #expect(throws: SwiftDataError.self) { try waiting.execute("SELECT * FROM \"\(namespace)\".t") }
      #expect((locked?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "55P03")
      let impatient = try cluster.connect { $0.answerTimeout = .milliseconds(300) }
      let silent = #expect(throws: SwiftDataError.self) { try impatient.execute("SELECT pg_sleep(20)") }
      #expect(silent == .storeUnreachable)
      #expect(!impatient.isOpen)
    }

    @Test("cannot be opened without a server, to an unknown database, or with an invalid connection string")
    func refusals() throws {
      let cluster = try TestCluster.shared.get()
      let wrong = [
        "postgresql://osd@/postgres?host=/tmp/nowhere-at-all", "host=\(cluster.folder) dbname=nothing user=osd",
        "postgresql://localhost:notaport/",
      ]
      for string in wrong {
        let error = #expect(throws: SwiftDataError.self) { try PostgresConnection(PostgresSettings(string)) }
        #expect(error == .storeUnreachable)
      }
    }

    @Test("cannot be opened to a database with another encoding")
    func encoding() throws {
      let cluster = try TestCluster.shared.get()
      try cluster.connect().execute(
        "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
      let string = "host=\(cluster.folder) dbname=latin user=osd"
      let error = #expect(throws: SwiftDataError.self) { try PostgresConnection(PostgresSettings(string)) }
      #expect(error?.explanation?.contains("LATIN1") == true)
    }
  }
#endif

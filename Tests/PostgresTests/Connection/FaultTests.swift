#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  @Suite("Faults of a connection")
  struct ConnectionFaultTests {
    /// A statement that runs for 50 seconds unless it is cancelled. Its unique text identifies it in the server's list
    /// of sessions.
    private static func longStatement() -> String { "SELECT pg_sleep(50), '\(UUID().uuidString)'" }

    /// Returns true if the server is running the statement.
    private static func isRunning(_ statement: String, by watch: PostgresConnection) throws -> Bool {
      let text = statement.replacingOccurrences(of: "'", with: "''")
      let result = try watch.run(
        PostgresStatement(
          "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = '\(text)'"))
      return result.integer(0, 0) == 1
    }

    @Test("a connection throws when the server is killed, and at each later call", .timeLimit(.minutes(2)))
    func killedServer() throws {
      let cluster = try TestCluster()
      defer { cluster.stop() }
      let connection = try cluster.connect()
      try connection.execute("CREATE TABLE t (key int8); INSERT INTO t VALUES (1)")
      let rows = try connection.rows(of: PostgresStatement("SELECT n FROM generate_series(1, 20000000) AS n"))
      _ = try rows.next()
      try cluster.kill()
      // The session's process runs until it notices the kill. Until then it may send the remaining rows.
      rows.close()
      let error = #expect(throws: SwiftDataError.self) { for _ in 0..<100_000 { try connection.execute("SELECT 1") } }
      #expect(error == .storeUnreachable)
      #expect(!connection.isOpen)
      let other = #expect(throws: SwiftDataError.self) { try cluster.connect { $0.connectTimeout = .seconds(2) } }
      #expect(other == .storeUnreachable)
    }

    @Test(
      "a call throws if the server ends the session, including in the middle of a pipeline", arguments: [false, true])
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

    @Test("cancelling the task cancels the statement", .timeLimit(.minutes(10)))
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
        // Each row is larger than the server's send buffer, so that the server sends it at once.
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

    @Test("another thread can cancel a statement", .timeLimit(.minutes(10)))
    func cancelledStatement() throws {
      let cluster = try TestCluster.shared.get()
      let connection = try cluster.connect()
      let canceller = try #require(connection.makeCanceller())
      let statement = Self.longStatement()
      Thread.detachNewThread {
        // The server ignores a cancel request for a statement that has not started, so this thread waits for the start.
        guard let watch = try? cluster.connect() else { return }
        if (try? waitUntil { try Self.isRunning(statement, by: watch) }) == true { canceller.cancel() }
      }
      let error = #expect(throws: SwiftDataError.self) { try connection.execute(statement) }
      #expect((error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "57014")
    }

    @Test("no call waits longer than the timeouts of statements, locks and answers", .timeLimit(.minutes(10)))
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

    @Test("connecting fails without a server, to an unknown database, or with an invalid connection string")
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

    @Test("connecting fails if the database has another encoding than UTF-8")
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

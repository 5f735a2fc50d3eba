#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import Testing
  import Waiting

  /// Counts how many threads use each session at the same time.
  private final class SessionWatch: Sendable {
    private let state = Lock((inUse: [ObjectIdentifier: Int](), most: 0))

    /// The greatest number of sessions that were in use at the same time.
    var most: Int { state.withLock { $0.most } }

    /// Records that a thread begins to use the session. Returns the number of threads that use it now.
    func begin(_ session: PostgresSession) -> Int {
      state.withLock { state in
        state.inUse[ObjectIdentifier(session), default: 0] += 1
        state.most = max(state.most, state.inUse.count)
        return state.inUse[ObjectIdentifier(session)] ?? 0
      }
    }

    func end(_ session: PostgresSession) {
      state.withLock { $0.inUse[ObjectIdentifier(session)] = nil }
    }
  }

  @Suite("The connection pool of a store in PostgreSQL")
  struct PostgresPoolTests {
    private func pool(capacity: Int, timeout: Duration = .seconds(20)) throws -> PostgresPool {
      let store = try TestDatabase(Specimen.self)
      let (dialect, database) = (store.dialect, store.database)
      let cluster = try TestCluster.shared.get()
      return PostgresPool(first: store.session, capacity: capacity, timeout: timeout) {
        PostgresSession(
          try cluster.connect(), dialect: dialect, memory: StatementMemory(database, dialect: dialect))
      }
    }

    @Test(
      "two threads never use a connection at once, and the number of connections does not exceed its maximum",
      .timeLimit(.minutes(10)))
    func exclusive() async throws {
      let pool = try pool(capacity: 3)
      let watch = SessionWatch()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<40 {
          group.addTask {
            try pool.withSession { session in
              #expect(watch.begin(session) == 1)
              try session.connection.execute("SELECT pg_sleep(0.002)")
              watch.end(session)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(watch.most <= 3)
      pool.close()
    }

    @Test("a caller gets a connection within the timeout; otherwise the call throws")
    func timeout() throws {
      let pool = try pool(capacity: 1, timeout: .milliseconds(100))
      let session = try pool.take()
      let error = #expect(throws: SwiftDataError.self) { try pool.take() }
      #expect(error == .storeBusy)
      pool.giveBack(session)
      #expect(try pool.take() === session)
      pool.giveBack(session)
      pool.close()
      #expect(throws: SwiftDataError.self) { try pool.take() }
      #expect(!session.connection.isOpen)
    }

    @Test("a connection that the server closed while it was idle is replaced")
    func ended() throws {
      let pool = try pool(capacity: 2)
      let (first, second) = (try pool.take(), try pool.take())
      let processes = try [first, second].map {
        try #require(try $0.connection.run(PostgresStatement("SELECT pg_backend_pid()")).integer(0, 0))
      }
      pool.giveBack(first)
      pool.giveBack(second)
      let other = try TestCluster.shared.get().connect()
      for process in processes {
        // Waits until the session's process has ended, at most 10,000 milliseconds.
        try other.execute("SELECT pg_terminate_backend(\(process), 10000)")
      }
      for _ in 0..<2 { try pool.withSession { try $0.connection.execute("SELECT 1") } }
      pool.close()
    }

    @Test("a connection that was used just now is not checked if the caller can retry")
    func justUsed() throws {
      let pool = try pool(capacity: 2)
      let first = try pool.take()
      let process = try #require(
        try first.connection.run(PostgresStatement("SELECT pg_backend_pid()")).integer(0, 0))
      pool.giveBack(first)
      try TestCluster.shared.get().connect().execute("SELECT pg_terminate_backend(\(process), 10000)")
      let second = try pool.take()
      #expect(second !== first)
      pool.giveBack(second)
      #expect(try pool.take(repeats: true) === second)
      pool.giveBack(second)
      // Waits longer than the time for which the pool assumes that a returned session is alive.
      letTimePass(.milliseconds(150))
      second.connection.close()
      #expect(try pool.take(repeats: true) !== second)
    }

    @Test("a connection is replaced if it is lost, or if it is returned to the pool in the middle of a transaction")
    func lost() throws {
      let pool = try pool(capacity: 1)
      let first = try pool.take()
      try first.connection.execute("BEGIN")
      pool.giveBack(first)
      #expect(!first.connection.isOpen)
      let second = try pool.take()
      #expect(second !== first)
      second.connection.close()
      pool.giveBack(second)
      try pool.withSession { try $0.connection.execute("SELECT 1") }
      pool.close()
    }
  }
#endif

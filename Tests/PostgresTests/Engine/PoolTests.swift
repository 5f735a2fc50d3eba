#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import Testing
  import Waiting

  /// Counts the users of each session.
  private final class SessionWatch: Sendable {
    private let state = Lock((inUse: [ObjectIdentifier: Int](), most: 0))

    /// The greatest number of sessions in use at one time.
    var most: Int { state.withLock { $0.most } }

    /// Records a use of the session, and returns the number of its present users.
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

  @Suite("The connections of a store in PostgreSQL")
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

    @Test("are never used by two threads at once, and do not exceed their maximum number", .timeLimit(.minutes(10)))
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

    @Test("are available within the timeout; otherwise the caller's wait throws")
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

    @Test("are replaced if the server closed them while they were idle")
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
        // Waits for the end of the process, at most the milliseconds in the second parameter.
        try other.execute("SELECT pg_terminate_backend(\(process), 10000)")
      }
      for _ in 0..<2 { try pool.withSession { try $0.connection.execute("SELECT 1") } }
      pool.close()
    }

    @Test("are not checked if they have just been used and the caller can retry")
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
      // Longer than the time for which a returned session is assumed to be alive.
      letTimePass(.milliseconds(150))
      second.connection.close()
      #expect(try pool.take(repeats: true) !== second)
    }

    @Test("are replaced if they are lost, or are returned to the pool in the middle of a transaction")
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

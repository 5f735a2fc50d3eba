#if PostgreSQL
  import Dispatch
  import Foundation
  import PersistenceSupport

  /// The sessions of one store. Their number is limited, since the server has a process for each. Thread-safe.
  ///
  /// Sessions are opened when needed. A returned session with a lost connection or an open transaction is closed.
  package final class PostgresPool: Sendable {
    private final class Waiter: Sendable {
      let isServed = DispatchSemaphore(value: 0)
    }

    private struct State {
      var idle: [PostgresSession] = []
      /// The number of sessions, including those that are being opened.
      var count = 0
      /// The waiting threads; the first one has waited longest.
      var waiters: [Waiter] = []
      var isClosed = false
    }

    private enum Readiness {
      case ready(PostgresSession)
      case mayOpen
      case mustWait(Waiter)
      case closed
    }

    private let state: Lock<State>
    private let capacity: Int
    private let timeout: DispatchTimeInterval
    private let location: String
    private let open: @Sendable () throws -> PostgresSession
    /// The session that all callers use on one thread, even during a transaction; nil if each caller gets its own.
    private let shared: PostgresSession?

    /// Creates a pool that gives one session to all callers, on one thread, and never closes it.
    init(sharing session: PostgresSession) {
      state = Lock(State(count: 1))
      (capacity, timeout, location, shared) = (1, DispatchTimeInterval.seconds(1), session.connection.location, session)
      open = { session }
    }

    /// - Parameters:
    ///   - first: The session that opened the store; nil if there is none yet.
    ///   - location: The store, for messages.
    ///   - capacity: The maximum number of sessions.
    ///   - timeout: How long a caller waits while all sessions are in use.
    ///   - open: Opens another session.
    package init(
      first: PostgresSession?, location: String? = nil, capacity: Int, timeout: Duration,
      open: @escaping @Sendable () throws -> PostgresSession
    ) {
      state = Lock(first.map { State(idle: [$0], count: 1) } ?? State())
      self.capacity = max(1, capacity)
      self.timeout = .milliseconds(Int(clamping: timeout.milliseconds))
      self.location = first?.connection.location ?? location ?? "PostgreSQL"
      self.open = open
      shared = nil
    }

    /// Runs a closure with a session that no other caller uses.
    ///
    /// - Throws: `SwiftDataError.storeBusy` if all sessions are in use until the timeout, or the error of opening one.
    package func withSession<Value>(_ body: (PostgresSession) throws -> Value) throws -> Value {
      let session = try take()
      defer { giveBack(session) }
      return try body(session)
    }

    /// Returns a session for the caller, who must return it with ``giveBack(_:)``.
    ///
    /// - Parameter repeats: Whether the caller repeats its work with another session if the connection of this one is
    ///   lost. If so, a session that was used in the last 100 ms is not checked, which saves a system call.
    package func take(repeats: Bool = false) throws -> PostgresSession {
      if let shared {
        guard !state.withLock({ $0.isClosed }) else { throw closedError }
        return shared
      }
      let start = DispatchTime.now()
      let deadline = start + timeout
      while true {
        switch state.withLock({ Self.readiness(of: &$0, capacity: capacity) }) {
        case .ready(let session):
          if repeats, start.uptimeNanoseconds < session.lastUse + Self.trust { return session }
          // The server may have closed the session while it was idle.
          if session.connection.isAlive { return session }
          session.connection.close()
          endOne()
        case .mayOpen:
          do {
            return try openCounted()
          } catch  where Self.isTooMany(error) && DispatchTime.now() < deadline {
            // The server has no free connection until this or another program closes one.
            usleep(50_000)
          }
        case .closed: throw closedError
        case .mustWait(let waiter):
          guard waiter.isServed.wait(timeout: deadline) == .success || !leave(waiter) else { throw busyError }
        }
      }
    }

    /// How long after its return a session is assumed to be alive, in nanoseconds.
    private static let trust: UInt64 = 100_000_000

    private static func readiness(of state: inout State, capacity: Int) -> Readiness {
      if state.isClosed { return .closed }
      if let session = state.idle.popLast() { return .ready(session) }
      if state.count < capacity {
        state.count += 1
        return .mayOpen
      }
      let waiter = Waiter()
      state.waiters.append(waiter)
      return .mustWait(waiter)
    }

    private func openCounted() throws -> PostgresSession {
      do {
        return try open()
      } catch {
        endOne()
        throw error
      }
    }

    private static func isTooMany(_ error: any Error) -> Bool {
      ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.isTooMany == true
    }

    /// Removes a waiting thread from the queue; returns false if it has been woken meanwhile.
    private func leave(_ waiter: Waiter) -> Bool {
      state.withLock { state in
        guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
        state.waiters.remove(at: index)
        return true
      }
    }

    package func giveBack(_ session: PostgresSession) {
      guard shared == nil else { return }
      guard session.connection.isOpen, session.connection.transactionStatus == .idle else {
        session.connection.close()
        return endOne()
      }
      session.lastUse = DispatchTime.now().uptimeNanoseconds
      let (waiter, isClosed) = state.withLock { state -> (Waiter?, Bool) in
        if state.isClosed { return (nil, true) }
        state.idle.append(session)
        return (state.waiters.isEmpty ? nil : state.waiters.removeFirst(), false)
      }
      if isClosed { session.connection.close() }
      waiter?.isServed.signal()
    }

    /// Lowers the count of sessions, and wakes a thread that may now open one.
    private func endOne() {
      let waiter = state.withLock { state -> Waiter? in
        state.count -= 1
        return state.waiters.isEmpty ? nil : state.waiters.removeFirst()
      }
      waiter?.isServed.signal()
    }

    /// The number of round trips of all idle sessions.
    package var roundTrips: Int { state.withLock { $0.idle.reduce(0) { $0 + $1.connection.roundTrips } } }

    /// Closes all idle sessions. Sessions in use are closed when they are returned.
    package func close() {
      let (idle, waiters) = state.withLock { state -> ([PostgresSession], [Waiter]) in
        defer { (state.idle, state.waiters, state.isClosed) = ([], [], true) }
        return (state.idle, state.waiters)
      }
      for session in idle { session.connection.close() }
      for waiter in waiters { waiter.isServed.signal() }
    }

    /// The error for a session whose connection is lost.
    static func lostError(_ session: PostgresSession) -> SwiftDataError {
      PostgresError(sqlState: nil, message: "the connection was lost").storeError(session.connection.location)
    }

    private var closedError: SwiftDataError {
      SwiftDataError(
        .storeUnreachable, "The store at \(location) has been closed. Open a new container to use it again.")
    }

    private var busyError: SwiftDataError {
      SwiftDataError(
        .storeBusy,
        "All \(capacity) connections to the store at \(location) were in use for too long. Try again, or allow more of them."
      )
    }
  }
#endif

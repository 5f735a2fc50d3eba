#if PostgreSQL
  import PersistenceQueries
  import PersistenceRuntime
  import PersistenceSupport
  import Synchronization

  /// A place in the transactions of a server. Those before it had ended when it was asked for.
  struct PostgresHorizon: Sendable, Hashable {
    /// The oldest transaction that was open, or the next one.
    let transaction: Int64
    /// The run of the server (``PostgresConnection/serverRun``): after a crash, and on another server, numbers are given again.
    let run: String
  }

  /// When a context began to read and to save, in transactions of the server. Thread-safe.
  ///
  /// A row that an older transaction has written is what the context has read: it was there before, and has not been changed since.
  /// The row of a younger transaction may be unchanged as well, and has to be compared.
  final class PostgresReadStart: Sendable {
    private enum State {
      case waiting
      case known(PostgresHorizon)
      /// No row counts as old.
      case unknown
    }

    private let state = Lock(State.waiting)

    /// Nil where no row counts as old.
    var horizon: PostgresHorizon? {
      state.withLock { state -> PostgresHorizon? in
        guard case .known(let horizon) = state else { return nil }
        return horizon
      }
    }

    /// Notes a horizon from before the first read; nil for none. Of several the oldest counts: one of a read beside the first one may be
    /// younger than that.
    func note(_ horizon: PostgresHorizon?) {
      state.withLock { state in
        switch (state, horizon) {
        case (.waiting, let horizon?): state = .known(horizon)
        case (.known(let known), let horizon?) where known.run == horizon.run:
          if horizon.transaction < known.transaction { state = .known(horizon) }
        default: state = .unknown
        }
      }
    }
  }

  /// The contexts of a store that have not read yet, and the horizon that was asked for last. Thread-safe.
  ///
  /// A thread that reads rows for a context, or begins a transaction, first gives all of these contexts a horizon. A horizon older than the
  /// present one is correct too, and finds fewer rows old. So the server is asked seldom, and where many rows are read.
  final class PostgresReadStarts: Sendable {
    private struct State {
      var waiting: [PostgresReadStart] = []
      /// The last horizon; nil if there is none yet.
      var last: PostgresHorizon?
      /// When it was asked for, or the store opened.
      var time = ContinuousClock.now
      /// Whether the server does not say: it is something like PostgreSQL.
      var isRefused = false
    }

    private let state = Lock(State())
    private let hasWaiting = Atomic<Bool>(false)

    /// How old a horizon is before another one is asked for, where many rows are read, and where few are.
    private static let pauses: (ofMany: Duration, ofFew: Duration) = (.milliseconds(20), .seconds(10))
    /// Contexts that only count rows wait, too.
    private static let mostWaiting = 64

    /// Notes that a context is about to read, or to save.
    func begin() -> PostgresReadStart {
      let start = PostgresReadStart()
      state.withLock { state in
        state.waiting.append(start)
        hasWaiting.store(true, ordering: .relaxed)
        if state.waiting.count > Self.mostWaiting { settle(&state) }
      }
      return start
    }

    /// Gives those who wait the last horizon, before anything is read or written for them.
    func settle() {
      guard hasWaiting.load(ordering: .relaxed) else { return }
      state.withLock { settle(&$0) }
    }

    private func settle(_ state: inout State) {
      for start in state.waiting { start.note(state.last) }
      state.waiting = []
      hasWaiting.store(false, ordering: .relaxed)
    }

    /// Does the same, with a new horizon if that is worth a round trip.
    ///
    /// - Parameter session: The session of the read, which is in no transaction.
    /// - Throws: An error of a session that is lost. Those who wait do so on.
    func settle(on session: PostgresSession, readsMany: Bool) throws {
      guard hasWaiting.load(ordering: .relaxed) else { return }
      let waiting = state.withLock { state -> [PostgresReadStart] in
        let isOld = state.time.duration(to: .now) > (readsMany ? Self.pauses.ofMany : Self.pauses.ofFew)
        guard !state.isRefused, isOld || (state.last == nil && readsMany) else {
          settle(&state)
          return []
        }
        return state.waiting
      }
      guard !waiting.isEmpty else { return }
      let horizon = try session.horizon()
      state.withLock { state in
        (state.last, state.time, state.isRefused) = (horizon, ContinuousClock.now, horizon == nil)
        state.waiting.removeAll { start in waiting.contains { $0 === start } }
        hasWaiting.store(!state.waiting.isEmpty, ordering: .relaxed)
      }
      for start in waiting { start.note(horizon) }
    }
  }

  extension PostgresSession {
    /// The present horizon; nil where the server does not say.
    ///
    /// - Throws: An error of a session that is lost.
    fileprivate func horizon() throws -> PostgresHorizon? {
      do {
        let number = try connection.runAskingForServerRun(Self.horizonStatement).text(0, 0).flatMap { Int64($0) }
        if let number, let run = connection.serverRun { return PostgresHorizon(transaction: number, run: run) }
      } catch  where connection.isOpen {}
      guard connection.isOpen else { throw PostgresPool.lostError(self) }
      return nil
    }

    private static let horizonStatement = PostgresStatement(
      StatementText("SELECT pg_snapshot_xmin(pg_current_snapshot())::text"))
  }

  extension PostgresStoreEngine: ComparingEngine {
    package func beginReads() -> AnyObject? { starts?.begin() }
  }
#endif

#if PostgreSQL
  import PersistenceQueries
  import PersistenceRuntime
  import PersistenceSupport
  import Synchronization

  /// A point in the sequence of a server's transactions. Earlier transactions had ended when the point was read.
  struct PostgresHorizon: Sendable, Hashable {
    /// The oldest open transaction, or the next one.
    let transaction: Int64
    /// The server's run (``PostgresConnection/serverRun``): in another run, transaction IDs are reused.
    let run: String
  }

  /// The point at which a context began to read and save, as a transaction ID. Thread-safe.
  ///
  /// A row written by an older transaction is as the context has read it: it existed before and has not changed since.
  /// A row of a younger transaction may be unchanged as well, but has to be compared.
  final class PostgresReadStart: Sendable {
    private enum State {
      case waiting
      case known(PostgresHorizon)
      /// No point is known, so every row has to be compared.
      case unknown
    }

    private let state = Lock(State.waiting)

    /// The horizon; nil if every row has to be compared.
    var horizon: PostgresHorizon? {
      state.withLock { state -> PostgresHorizon? in
        guard case .known(let horizon) = state else { return nil }
        return horizon
      }
    }

    /// Records a horizon from before the first read; nil for none. The oldest of several horizons counts: the horizon
    /// of a concurrent read may be younger than the first read.
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

  /// The contexts of a store that have not read yet, and the last horizon. Thread-safe.
  ///
  /// A thread that reads for a context, or begins a transaction, first sets the horizon of all these contexts. An older
  /// horizon is also correct, but more rows are compared. The server is queried rarely, mostly for reads of many rows.
  final class PostgresReadStarts: Sendable {
    private struct State {
      var waiting: [PostgresReadStart] = []
      /// The last horizon; nil if there is none yet.
      var last: PostgresHorizon?
      /// The time at which the last horizon was read, or the store was opened.
      var time = ContinuousClock.now
      /// Whether the server provides no horizon, since it is not PostgreSQL itself.
      var isRefused = false
    }

    private let state = Lock(State())
    private let hasWaiting = Atomic<Bool>(false)

    /// The age at which a new horizon is read, for reads of many rows and of few.
    private static let pauses: (ofMany: Duration, ofFew: Duration) = (.milliseconds(20), .seconds(10))
    /// The maximum length of the list. Contexts that only count rows stay in the list too.
    private static let mostWaiting = 64

    /// Records that a context is about to read or save.
    func begin() -> PostgresReadStart {
      let start = PostgresReadStart()
      state.withLock { state in
        state.waiting.append(start)
        hasWaiting.store(true, ordering: .relaxed)
        if state.waiting.count > Self.mostWaiting { settle(&state) }
      }
      return start
    }

    /// Sets the last horizon for the waiting contexts, before anything is read or written for them.
    func settle() {
      guard hasWaiting.load(ordering: .relaxed) else { return }
      state.withLock { settle(&$0) }
    }

    private func settle(_ state: inout State) {
      for start in state.waiting { start.note(state.last) }
      state.waiting = []
      hasWaiting.store(false, ordering: .relaxed)
    }

    /// Like ``settle()``, with a new horizon if that is worth a round trip.
    ///
    /// - Parameter session: The session of the read, without a transaction.
    /// - Throws: An error of a lost session. The contexts then keep waiting.
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
    /// The current horizon; nil if the server does not provide it.
    ///
    /// - Throws: An error of a lost session.
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

#if PostgreSQL
  import PersistenceQueries
  import PersistenceRuntime
  import PersistenceSupport
  import Synchronization

  /// A point in the sequence of transaction IDs: all transactions with a lower ID had ended when the point was read.
  struct PostgresHorizon: Sendable, Hashable {
    /// The lowest ID of a transaction that was still running, or the next ID if none was running.
    let transaction: Int64
    /// The server run (``PostgresConnection/serverRun``): in another run, the same IDs may be assigned again.
    let run: String
  }

  /// A horizon (``PostgresHorizon``) from before the first read or save of a context. Thread-safe.
  ///
  /// If the transaction that wrote a row has a lower ID than the horizon, the row was written before the context read
  /// it and has not changed since. Rows with other IDs may be unchanged too, but a save must compare their values.
  final class PostgresReadStart: Sendable {
    private enum State {
      case waiting
      case known(PostgresHorizon)
      /// There is no horizon, so a save compares every row.
      case unknown
    }

    private let state = Lock(State.waiting)

    /// The horizon; nil if a save must compare every row.
    var horizon: PostgresHorizon? {
      state.withLock { state -> PostgresHorizon? in
        guard case .known(let horizon) = state else { return nil }
        return horizon
      }
    }

    /// Records a horizon from before the context's first read; nil if there is none. If several are recorded, the
    /// lowest counts: a concurrent read may have queried its horizon after the context's first read.
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

  /// The contexts of a store that have not read or saved yet, and the last horizon that was read from the server: the
  /// lowest ID of a transaction that was still running (``PostgresHorizon``). Thread-safe.
  ///
  /// Before a thread reads for a context or begins a transaction, it passes a horizon to all these contexts. This is
  /// mostly the last known one: an older horizon is correct too, but makes saves compare more rows. The server is
  /// rarely asked for a new one, mostly before reads of many rows.
  final class PostgresReadStarts: Sendable {
    private struct State {
      var waiting: [PostgresReadStart] = []
      /// The last horizon; nil if there is none yet.
      var last: PostgresHorizon?
      /// The time at which the last horizon was read, or the store was opened.
      var time = ContinuousClock.now
      /// Whether the server returned no horizon, because it only imitates PostgreSQL. It is not asked again.
      var isRefused = false
    }

    private let state = Lock(State())
    private let hasWaiting = Atomic<Bool>(false)
    private let horizons = Atomic<Int>(0)

    /// The number of times that the server was asked for a horizon.
    var count: Int { horizons.load(ordering: .acquiring) }

    /// The maximum age of the last horizon before a read of many rows, and before a read of few rows.
    private static let pauses: (ofMany: Duration, ofFew: Duration) = (.milliseconds(20), .seconds(10))
    /// The maximum number of waiting contexts. A context that only counts rows waits until this number is exceeded.
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

    /// Gives the last horizon to the waiting contexts, before anything is read or written for them.
    func settle() {
      guard hasWaiting.load(ordering: .relaxed) else { return }
      state.withLock { settle(&$0) }
    }

    private func settle(_ state: inout State) {
      for start in state.waiting { start.note(state.last) }
      state.waiting = []
      hasWaiting.store(false, ordering: .relaxed)
    }

    /// Like ``settle()``, but first asks the server for a new horizon if the last one is too old for the read.
    ///
    /// - Parameter session: The session that will read outside a transaction.
    /// - Throws: The error of a lost connection. The contexts then still wait for a horizon.
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
      // Counted before any context gets the horizon.
      horizons.add(1, ordering: .acquiringAndReleasing)
      state.withLock { state in
        (state.last, state.time, state.isRefused) = (horizon, ContinuousClock.now, horizon == nil)
        state.waiting.removeAll { start in waiting.contains { $0 === start } }
        hasWaiting.store(!state.waiting.isEmpty, ordering: .relaxed)
      }
      for start in waiting { start.note(horizon) }
    }
  }

  extension PostgresSession {
    /// Asks the server for the current horizon; nil if the server has none.
    ///
    /// - Throws: The error of a lost connection.
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

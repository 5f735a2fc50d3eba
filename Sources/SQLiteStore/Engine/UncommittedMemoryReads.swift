import PersistenceRuntime
import PersistenceSupport

/// Detects reads outside a transaction that see its uncommitted rows. This can happen in a store with one connection,
/// which is in memory or is being migrated.
///
/// While a transaction is open, its thread reads with the same connection, since it would wait for itself otherwise.
/// Other threads wait. Thread-safe.
final class UncommittedMemoryReads: UncommittedReads {
  private struct State {
    /// The connection's change count before the transaction; nil if no transaction is open.
    var start: UInt32?
    var wereMade = false
    var wasUndone = false
    var listeners: [@Sendable () -> Void] = []
  }

  private let pool: SQLiteConnectionPool
  private let state = Lock(State())

  init(_ pool: SQLiteConnectionPool) { self.pool = pool }

  func note() {
    guard let connection = pool.connectionWritingHere else { return }
    state.withLock { state in
      if let start = state.start, start != connection.handle.changeCount { state.wereMade = true }
    }
  }

  func addListener(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(body) } }

  func transactionDidBegin(on connection: SQLiteConnection) {
    state.withLock { $0.start = connection.handle.changeCount }
  }

  /// Records that a transaction has rolled back all or part of its changes.
  func transactionDidUndo() { state.withLock { $0.wasUndone = true } }

  /// The listeners to call when the connection is free again. Empty if all rows that were read have been committed,
  /// because the commit itself notifies the contexts.
  func takeListeners() -> [@Sendable () -> Void] {
    state.withLock { state in
      defer { (state.wereMade, state.wasUndone, state.start) = (false, false, nil) }
      return state.wereMade && state.wasUndone ? state.listeners : []
    }
  }
}

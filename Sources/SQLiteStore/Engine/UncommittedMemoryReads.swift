import PersistenceRuntime
import PersistenceSupport

/// Detects reads outside a transaction that see its uncommitted rows, in a store with a single connection.
///
/// The thread of a transaction reads with the same connection, so that it does not wait for itself. Other threads wait.
/// Thread-safe.
final class UncommittedMemoryReads: UncommittedReads {
  private struct State {
    /// The connection's number of changed rows before the transaction; nil if no transaction is open.
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

  /// The listeners to call when the connection is free again. There are none if all rows that were read were committed,
  /// since the commit notifies contexts.
  func takeListeners() -> [@Sendable () -> Void] {
    state.withLock { state in
      defer { (state.wereMade, state.wasUndone, state.start) = (false, false, nil) }
      return state.wereMade && state.wasUndone ? state.listeners : []
    }
  }
}

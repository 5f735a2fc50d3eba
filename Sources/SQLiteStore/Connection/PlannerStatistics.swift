import CSQLite
import PersistenceSupport

/// When SQLite looks at how many rows its indexes find, which its plans depend on (decision 65).
///
/// A store without these numbers takes every index for a good one: rows of one class among a hundred thousand are found by
/// their class, and not by their name. Thread-safe.
final class PlannerStatistics: Sendable {
  /// Fewer changed rows since the last time are not worth it: reading the numbers makes every opening 15 µs longer.
  static let leastChanges: UInt32 = 10_000
  /// The least time between two times while the store is open.
  private static let pause = Duration.seconds(3_600)
  /// How many entries of an index are looked at, about 4 ms: what a save may have to wait.
  private static let mostEntries = 50_000

  private struct State {
    var last = ContinuousClock.now
    /// How many rows the connection that writes had changed then.
    var changes: UInt32 = 0
  }

  private let state = Lock(State())

  /// Whether an open store is to be looked at again.
  var isDue: Bool { state.withLock { ContinuousClock.now - $0.last >= Self.pause } }

  /// Lets SQLite decide which tables to look at.
  ///
  /// - Parameters:
  ///   - reader: A connection that has run queries: SQLite remembers for which tables it lacked numbers.
  ///   - changes: How many rows the connection that writes has changed.
  func update(_ reader: SQLiteHandle, changes: UInt32, busyTimeout: Int32) {
    let isWorth = state.withLock { state in
      guard changes &- state.changes >= Self.leastChanges else { return false }
      state = State(changes: changes)
      return true
    }
    guard isWorth, !reader.isInTransaction, !reader.isReadOnly else { return }
    reader.setBusyTimeout(milliseconds: 0)
    defer { reader.setBusyTimeout(milliseconds: busyTimeout) }
    // Without the numbers everything works as before, so that no failure matters.
    try? reader.execute("PRAGMA analysis_limit = \(Self.mostEntries); PRAGMA optimize")
  }
}

extension SQLiteHandle {
  /// How many rows the connection has changed since it was opened, as SQLite counts them: it starts anew past 32 bits.
  var changeCount: UInt32 { UInt32(bitPattern: sqlite3_total_changes(pointer)) }
}

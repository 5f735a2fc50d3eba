import CSQLite
import PersistenceSupport

/// Decides when SQLite gathers index statistics (ANALYZE), on which its query plans depend (decision 65).
///
/// Without statistics, SQLite assumes that every index is selective. To find rows of one class by name among a hundred
/// thousand rows, it then uses the index on the class instead of the index on the name. Thread-safe.
final class PlannerStatistics: Sendable {
  /// How many rows must change before ANALYZE runs. Small stores have no statistics, and therefore open 15 µs faster.
  static let leastChanges: UInt32 = 10_000
  /// The minimum time between two runs while the store is open.
  private static let pause = Duration.seconds(3_600)
  /// How many index entries ANALYZE samples. Sampling takes about 4 ms, and a save may have to wait that long.
  private static let mostEntries = 50_000

  private struct State {
    var last = ContinuousClock.now
    /// The number of rows that the writing connection had changed when ANALYZE last ran.
    var changes: UInt32 = 0
  }

  private let state = Lock(State())

  /// Returns true if the last update was long enough ago.
  var isDue: Bool { state.withLock { ContinuousClock.now - $0.last >= Self.pause } }

  /// If enough rows have changed, runs `PRAGMA optimize`, in which SQLite itself selects the tables to analyze.
  ///
  /// - Parameters:
  ///   - reader: A connection that has run queries. SQLite has recorded on it for which tables statistics were missing.
  ///   - changes: The number of rows that the writing connection has changed since it was opened.
  func update(_ reader: SQLiteHandle, changes: UInt32, busyTimeout: Int32) {
    let isWorth = state.withLock { state in
      guard changes &- state.changes >= Self.leastChanges else { return false }
      state = State(changes: changes)
      return true
    }
    guard isWorth, !reader.isInTransaction, !reader.isReadOnly else { return }
    reader.setBusyTimeout(milliseconds: 0)
    defer { reader.setBusyTimeout(milliseconds: busyTimeout) }
    // Errors are ignored, because queries work without new statistics.
    try? reader.execute("PRAGMA analysis_limit = \(Self.mostEntries); PRAGMA optimize")
  }
}

extension SQLiteHandle {
  /// How many rows the connection has changed so far. SQLite counts with 32 bits, so the count wraps around.
  var changeCount: UInt32 { UInt32(bitPattern: sqlite3_total_changes(pointer)) }
}

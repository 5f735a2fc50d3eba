import CSQLite
import PersistenceSupport

/// Decides when SQLite gathers index statistics (ANALYZE), on which its query plans depend (decision 65).
///
/// Without statistics, SQLite assumes that every index is selective. To find rows of one class among a hundred thousand
/// by name, it then uses the index on the class instead of the one on the name. Thread-safe.
final class PlannerStatistics: Sendable {
  /// The minimum number of changed rows for another run, because statistics make every opening 15 µs slower.
  static let leastChanges: UInt32 = 10_000
  /// The minimum time between two runs while the store is open.
  private static let pause = Duration.seconds(3_600)
  /// The number of index entries to sample. Sampling takes about 4 ms, for which a save may have to wait.
  private static let mostEntries = 50_000

  private struct State {
    var last = ContinuousClock.now
    /// The number of rows that the writing connection had changed by the time of the last run.
    var changes: UInt32 = 0
  }

  private let state = Lock(State())

  /// Whether an open store is due for an update.
  var isDue: Bool { state.withLock { ContinuousClock.now - $0.last >= Self.pause } }

  /// Lets SQLite decide which tables to analyze.
  ///
  /// - Parameters:
  ///   - reader: A connection that has run queries: SQLite remembers the tables for which it lacked statistics.
  ///   - changes: The number of rows that the writing connection has changed.
  func update(_ reader: SQLiteHandle, changes: UInt32, busyTimeout: Int32) {
    let isWorth = state.withLock { state in
      guard changes &- state.changes >= Self.leastChanges else { return false }
      state = State(changes: changes)
      return true
    }
    guard isWorth, !reader.isInTransaction, !reader.isReadOnly else { return }
    reader.setBusyTimeout(milliseconds: 0)
    defer { reader.setBusyTimeout(milliseconds: busyTimeout) }
    // Failures are ignored, because queries work without new statistics.
    try? reader.execute("PRAGMA analysis_limit = \(Self.mostEntries); PRAGMA optimize")
  }
}

extension SQLiteHandle {
  /// The number of rows that the connection has changed so far, as SQLite counts them: 32 bits with wraparound.
  var changeCount: UInt32 { UInt32(bitPattern: sqlite3_total_changes(pointer)) }
}

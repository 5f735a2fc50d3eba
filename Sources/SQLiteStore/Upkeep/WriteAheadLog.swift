import CSQLite
import Dispatch
import PersistenceSupport
import Synchronization

/// Keeps the write-ahead log of a store small, whoever reads (decision 65).
///
/// SQLite writes the log into the file after each commit past 1,000 pages, and begins it anew once nobody reads what it
/// has. A reader with an old snapshot keeps it from that, and many readers who take turns keep it from that for ever. So the
/// log is written into the file again when such a reader has ended, and past a size a commit waits a moment for readers.
///
/// Thread-safe.
final class WriteAheadLog: Sendable {
  /// How many pages the log grows before it is written into the file again: 4 MB.
  static let checkpointPages: Int32 = 1_000
  /// Past so many pages commits wait for readers.
  static let greatestPages: Int32 = 4_096
  /// What the file of the log is cut to when the log begins anew: as many pages as stores have them.
  static let greatestBytes = 16 << 20
  /// How long one commit of every 16 MB waits then.
  static let patienceMilliseconds: Int32 = 100
  /// How long the pool waits between two attempts after reads.
  private static let pause = Duration.seconds(1)

  private struct State {
    var isTrying = false
    var lastAttempt: ContinuousClock.Instant?
  }

  private let opening: ConnectionOpening
  private let state = Lock(State())
  /// Whether readers kept the last attempt from its end. Asked after each read, and false nearly always.
  private let isHeldUp = Atomic<Bool>(false)

  init(_ opening: ConnectionOpening) {
    self.opening = opening
  }

  /// Notes whether the whole log has been written into the file.
  func note(isHeldUp: Bool) { self.isHeldUp.store(isHeldUp, ordering: .relaxed) }

  /// Writes the log into the file if a reader kept it from that who may be the one that has just ended.
  @inline(__always)
  func readerDidEnd() {
    if isHeldUp.load(ordering: .relaxed) { catchUp() }
  }

  @inline(never)
  private func catchUp() {
    let isDue = state.withLock { state in
      if state.isTrying || state.lastAttempt.map({ ContinuousClock.now - $0 < Self.pause }) == true { return false }
      state.isTrying = true
      return true
    }
    guard isDue else { return }
    // Copying a log of gigabytes takes seconds, for which the read that has ended is not to wait.
    DispatchQueue.global(qos: .utility).async { [self] in
      writeIntoFile()
      state.withLock { ($0.isTrying, $0.lastAttempt) = (false, .now) }
    }
  }

  /// Writes the log into the file with a connection of its own, and cuts it if nobody needs it.
  private func writeIntoFile() {
    guard let handle = try? opening.openHandle(mayCreate: false) else { return }
    handle.setBusyTimeout(milliseconds: 0)
    // Only a connection that has read knows that there is a log.
    guard (try? handle.number("PRAGMA schema_version")) != nil,
      let checkpoint = handle.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    else { return }
    note(isHeldUp: !checkpoint.isComplete)
    if checkpoint.isComplete { _ = handle.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
  }
}

/// What an attempt to write the log into the file came to.
struct LogCheckpoint {
  let pages: Int32
  let written: Int32

  var isComplete: Bool { written >= pages }
}

extension SQLiteHandle {
  /// Writes the log into the file; nil if it could not be tried.
  func checkpoint(_ mode: Int32) -> LogCheckpoint? {
    var (pages, written): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(pointer, "main", mode, &pages, &written)
    guard code == SQLITE_OK || code == SQLITE_BUSY, pages >= 0 else { return nil }
    return LogCheckpoint(pages: pages, written: written)
  }
}

import CSQLite

/// What the connection that writes does about the log after each commit.
///
/// It stands in for SQLite's own hook, which tries to write the log into the file after every commit past 1,000 pages. With a
/// reader in the way each attempt looks at all of the log, so that commits take the longer the more there were.
///
/// Confined to the thread that has the connection.
final class LogHook {
  private let log: WriteAheadLog
  /// The connection, which owns the hook.
  private unowned let handle: SQLiteHandle
  private let busyTimeout: Int32
  /// Called now and then while much is written.
  private let didWriteMuch: () -> Void
  /// How many pages the log had after the last commit.
  private var pages: Int32 = 0
  private var nextAttempt = WriteAheadLog.checkpointPages
  private var nextWait = WriteAheadLog.greatestPages

  init(_ log: WriteAheadLog, on handle: SQLiteHandle, busyTimeout: Int32, didWriteMuch: @escaping () -> Void) {
    self.log = log
    self.handle = handle
    self.busyTimeout = busyTimeout
    self.didWriteMuch = didWriteMuch
  }

  fileprivate func didCommit(pages count: Int32) {
    if count < pages { (nextAttempt, nextWait) = (WriteAheadLog.checkpointPages, WriteAheadLog.greatestPages) }
    pages = count
    if count >= nextAttempt { writeIntoFile() }
  }

  private func writeIntoFile() {
    nextAttempt = pages + WriteAheadLog.checkpointPages
    var checkpoint = handle.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    if pages >= nextWait {
      // Readers came and went all the time, and each kept a part of the log. For a moment no further commit comes, so that
      // those who are there are the last that need it.
      nextWait = pages + WriteAheadLog.greatestPages
      handle.setBusyTimeout(milliseconds: min(busyTimeout, WriteAheadLog.patienceMilliseconds))
      checkpoint = handle.checkpoint(SQLITE_CHECKPOINT_RESTART) ?? checkpoint
      handle.setBusyTimeout(milliseconds: busyTimeout)
    }
    log.note(isHeldUp: checkpoint?.isComplete == false)
    didWriteMuch()
  }
}

extension SQLiteHandle {
  /// Has a hook called after each commit of the connection.
  func watchLog(_ hook: LogHook) {
    logHook = hook
    // The handle, which closes the connection, keeps what SQLite is given here.
    sqlite3_wal_hook(pointer, Self.noteCommit, Unmanaged.passUnretained(hook).toOpaque())
  }

  private static let noteCommit:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      hook, _, _, pages in
      if let hook { Unmanaged<LogHook>.fromOpaque(hook).takeUnretainedValue().didCommit(pages: pages) }
      // The commit has succeeded, whatever becomes of the log.
      return SQLITE_OK
    }
}

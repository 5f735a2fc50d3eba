import CSQLite
import Dispatch
import PersistenceSupport
import Synchronization

/// The connections of one store: one writer and several readers.
///
/// A nested read uses the connection that its thread already has, so that a thread never waits for itself. An in-memory
/// store has a single connection for reads and writes, used by one thread at a time.
final class SQLiteConnectionPool: Sendable {
  private struct Lease {
    let thread: ThreadIdentity
    let connection: SQLiteConnection
    var depth = 1
  }

  private final class Waiter: Sendable {
    let thread = ThreadIdentity.current
    let isServed = DispatchSemaphore(value: 0)
  }

  private struct State {
    var idle: [SQLiteConnection]
    var leases: [Lease] = []
    var waiters: [Waiter] = []
    var writer: SQLiteConnection?
    var isClosed = false
  }

  private enum Readiness {
    case ready(SQLiteConnection)
    case mayOpen
    case mustWait(Waiter)
    case closed
  }

  private let opening: ConnectionOpening
  let log: WriteAheadLog
  private let statistics = PlannerStatistics()
  private let gate = ConnectionGate()
  private let state: Lock<State>
  private let isSingle: Bool
  private let capacity: Int

  /// Creates a pool around the connection that opened the store.
  ///
  /// - Parameter isSingle: Whether the pool uses only that connection; by default only for an in-memory store.
  init(first connection: SQLiteConnection, opening: ConnectionOpening, isSingle: Bool? = nil) {
    self.opening = opening
    self.log = WriteAheadLog(opening)
    let isSingle = isSingle ?? opening.configuration.isInMemory
    self.isSingle = isSingle
    self.capacity = opening.configuration.readers
    self.state = Lock(isSingle ? State(idle: [], writer: connection) : State(idle: [connection]))
  }

  // MARK: Reading

  /// Reserves a read connection for the current thread until ``giveBackReader(_:)``. Waits if all are in use.
  func takeReader() throws -> SQLiteConnection {
    if isSingle { return try takeWriter(isReentrant: true) }
    let readiness = state.withLock { $0.isClosed ? .closed : Self.readiness(of: &$0, capacity: capacity) }
    switch readiness {
    case .ready(let connection): return connection
    case .mayOpen: return try openReader()
    case .mustWait(let waiter): return try wait(waiter)
    case .closed: throw closedError
    }
  }

  /// Reserves a read connection like ``takeReader()``, but returns nil if all are in use.
  func takeFreeReader() throws -> SQLiteConnection? {
    guard !isSingle else { return nil }
    let (known, mayOpen) = state.withLock { state -> (SQLiteConnection?, Bool) in
      guard !state.isClosed else { return (nil, false) }
      guard let connection = state.idle.popLast() else { return (nil, state.leases.count < capacity) }
      state.leases.append(Lease(thread: .current, connection: connection))
      return (connection, false)
    }
    return try known ?? (mayOpen ? openReader() : nil)
  }

  func giveBackReader(_ connection: SQLiteConnection) {
    if isSingle { return giveBackWriter() }
    let (served, dropped): (Waiter?, SQLiteConnection?) = state.withLock { state in
      guard let index = state.leases.firstIndex(where: { $0.connection === connection }) else { return (nil, nil) }
      state.leases[index].depth -= 1
      guard state.leases[index].depth == 0 else { return (nil, nil) }
      state.leases.remove(at: index)
      return Self.passOn(connection, in: &state, capacity: capacity)
    }
    served?.isServed.signal()
    // If this is the last reference, the connection is closed here, outside the lock, because closing is slow.
    withExtendedLifetime(dropped) {}
    log.readerDidEnd()
  }

  /// Opens a connection outside the pool, which only the caller uses.
  func openOwn(forChanges: Bool = false) throws -> SQLiteConnection {
    if state.withLock(\.isClosed) { throw closedError }
    let connection = try opening.open(.reader)
    if forChanges { try opening.prepareForChanges(connection.handle) }
    return connection
  }

  /// Runs a block with a given read connection, if that connection is idle; returns nil otherwise.
  func borrow<Result>(_ connection: SQLiteConnection, _ body: (SQLiteConnection) throws -> Result) rethrows -> Result? {
    let isIdle = state.withLock { state in
      guard let index = state.idle.firstIndex(where: { $0 === connection }) else { return false }
      state.idle.remove(at: index)
      state.leases.append(Lease(thread: .current, connection: connection))
      return true
    }
    guard isIdle else { return nil }
    defer { giveBackReader(connection) }
    return try body(connection)
  }

  /// True if the current thread has a read connection. The only connection of an in-memory store does not count.
  var isReadingHere: Bool {
    let current = ThreadIdentity.current
    return !isSingle && state.withLock { $0.leases.contains { $0.thread == current } }
  }

  private static func readiness(of state: inout State, capacity: Int) -> Readiness {
    let current = ThreadIdentity.current
    for index in state.leases.indices where state.leases[index].thread == current {
      state.leases[index].depth += 1
      return .ready(state.leases[index].connection)
    }
    if let connection = state.idle.popLast() {
      state.leases.append(Lease(thread: current, connection: connection))
      return .ready(connection)
    }
    guard state.leases.count >= capacity else { return .mayOpen }
    let waiter = Waiter()
    state.waiters.append(waiter)
    return .mustWait(waiter)
  }

  /// Gives a free connection to the first waiting thread. If no thread waits, keeps it idle or returns it to be closed.
  private static func passOn(
    _ connection: SQLiteConnection, in state: inout State, capacity: Int
  ) -> (Waiter?, SQLiteConnection?) {
    if state.isClosed { return (nil, connection) }
    guard state.waiters.isEmpty else {
      let waiter = state.waiters.removeFirst()
      state.leases.append(Lease(thread: waiter.thread, connection: connection))
      return (waiter, nil)
    }
    guard state.idle.count + state.leases.count < capacity else { return (nil, connection) }
    state.idle.append(connection)
    return (nil, nil)
  }

  /// Waits for a connection. After the timeout it opens a connection beyond the capacity, to avoid a deadlock: threads
  /// that use the other connections may be waiting for this thread.
  private func wait(_ waiter: Waiter) throws -> SQLiteConnection {
    let isServed = waiter.isServed.wait(timeout: opening.deadline) == .success
    let connection = state.withLock { state -> SQLiteConnection? in
      if !isServed, let index = state.waiters.firstIndex(where: { $0 === waiter }) {
        state.waiters.remove(at: index)
        return nil
      }
      return state.leases.last { $0.thread == waiter.thread }?.connection
    }
    return try connection ?? openReader()
  }

  private func openReader() throws -> SQLiteConnection {
    let connection = try opening.open(.reader)
    let isClosed = state.withLock { state in
      if !state.isClosed { state.leases.append(Lease(thread: .current, connection: connection)) }
      return state.isClosed
    }
    if isClosed { throw closedError }
    return connection
  }

  // MARK: Writing

  /// Waits for the write connection, and reserves it for the caller until ``giveBackWriter()``.
  func takeWriter(isReentrant: Bool = false) throws -> SQLiteConnection {
    guard gate.enter(isReentrant: isReentrant || isSingle, deadline: { opening.deadline }) else { throw busyError }
    do {
      return try writer()
    } catch {
      gate.leave()
      throw error
    }
  }

  /// Reserves the write connection if it is idle; returns nil otherwise.
  func takeIdleWriter() throws -> SQLiteConnection? {
    guard gate.enter(isReentrant: isSingle, deadline: { .now() }) else { return nil }
    do {
      return try writer()
    } catch {
      gate.leave()
      throw error
    }
  }

  var hasWriter: Bool { state.withLock { $0.writer != nil } }

  /// The write connection, if the current thread has it.
  var connectionWritingHere: SQLiteConnection? { gate.isOwnedHere ? state.withLock(\.writer) : nil }

  func giveBackWriter() {
    let dropped = state.withLock { state in
      guard state.isClosed else { return nil as SQLiteConnection? }
      return state.writer.take()
    }
    withExtendedLifetime(dropped) {}
    gate.leave()
  }

  /// Makes the current thread the owner of the writer. Call this only if the thread continues the work of the owner.
  func adoptWriter() {
    if isSingle { gate.adopt() }
  }

  private func writer() throws -> SQLiteConnection {
    let (known, isClosed) = state.withLock { ($0.writer, $0.isClosed) }
    if isClosed { throw closedError }
    if let known { return known }
    let connection = try opening.open(.writer)
    let handle = connection.handle
    let hook = LogHook(log, on: handle, busyTimeout: opening.configuration.busyTimeoutMilliseconds) { [weak self] in
      self?.didWriteMuch()
    }
    handle.watchLog(hook)
    state.withLock { $0.writer = connection }
    return connection
  }

  // MARK: Statistics

  private func didWriteMuch() {
    guard statistics.isDue else { return }
    // The statistics are updated in the background, so that the current save does not wait.
    DispatchQueue.global(qos: .utility).async { [weak self] in self?.updateStatistics() }
  }

  /// Updates the planner's statistics if much has changed, no context is saving, and no save would have to wait.
  private func updateStatistics() {
    guard !isSingle, hasWriter, let writer = try? takeIdleWriter() else { return }
    defer { giveBackWriter() }
    guard let reader = state.withLock(\.idle.last) else { return }
    borrow(reader) {
      let reader = $0.handle
      // The reader's commits are counted as the writer's. Otherwise they would look like commits of another process,
      // and cause a gap in the history. The writer has no open transaction.
      writer.handle.countAsOwn(commitsOf: reader) {
        statistics.update(
          reader, changes: writer.handle.changeCount, busyTimeout: opening.configuration.busyTimeoutMilliseconds)
      }
    }
  }

  // MARK: Closing

  /// Closes the idle connections now. A connection in use is closed when it is returned.
  func close() {
    log.end()
    updateStatistics()
    let (dropped, waiters) = state.withLock { state in
      state.isClosed = true
      defer { (state.idle, state.waiters) = ([], []) }
      return (state.idle, state.waiters)
    }
    // The waiting threads wake up without a connection and throw.
    for waiter in waiters { waiter.isServed.signal() }
    withExtendedLifetime(dropped) {}
    // An idle writer is closed here. A writer in use is closed when it is returned.
    if gate.enter(isReentrant: false, deadline: { .now() }) { giveBackWriter() }
  }

  private var closedError: SwiftDataError {
    SwiftDataError(
      .storeUnreachable, "The store at \(opening.path) has been closed. Open a new container to use it again.")
  }

  private var busyError: SwiftDataError {
    SwiftDataError(
      .storeBusy,
      "Another context is still saving to the store at \(opening.path). "
        + "Let it finish first, try again, or raise the busy time-out.")
  }
}

/// A lock with one owner at a time. Waiting threads are admitted in the order of arrival.
///
/// The owner is a thread, which may enter again if it declares the entry as re-entrant. An owner that stays inside for
/// a long time, such as a transaction, may transfer its ownership to another thread.
final class ConnectionGate: Sendable {
  private final class Waiter: Sendable {
    let thread = ThreadIdentity.current
    let isServed = DispatchSemaphore(value: 0)
  }

  private struct State {
    var owner: ThreadIdentity?
    var depth = 0
    var waiters: [Waiter] = []
  }

  private let state = Lock(State())

  /// Waits until the current thread is the owner. Returns false if the deadline passes first.
  func enter(isReentrant: Bool, deadline: () -> DispatchTime) -> Bool {
    let waiter: Waiter? = state.withLock { state in
      let current = ThreadIdentity.current
      if state.depth == 0 || (isReentrant && state.owner == current) {
        state.owner = current
        state.depth += 1
        return nil
      }
      let waiter = Waiter()
      state.waiters.append(waiter)
      return waiter
    }
    guard let waiter else { return true }
    if waiter.isServed.wait(timeout: deadline()) == .success { return true }
    return state.withLock { state in
      // A waiter that is no longer in the queue was admitted after its timeout.
      guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return true }
      state.waiters.remove(at: index)
      return false
    }
  }

  var isOwnedHere: Bool { state.withLock { $0.owner == ThreadIdentity.current } }

  /// Admits the next waiter after the owner has left as often as it has entered.
  func leave() {
    let next: Waiter? = state.withLock { state in
      state.depth -= 1
      guard state.depth == 0 else { return nil }
      state.owner = nil
      guard !state.waiters.isEmpty else { return nil }
      let next = state.waiters.removeFirst()
      state.owner = next.thread
      state.depth = 1
      return next
    }
    next?.isServed.signal()
  }

  /// Makes the current thread the owner. Call this only if the thread continues the work of the present owner.
  func adopt() {
    state.withLock { $0.owner = .current }
  }
}

/// Keeps the write-ahead log of a store small while connections read (decision 65).
///
/// SQLite checkpoints the log after each commit beyond 1,000 pages, and restarts it when no reader needs it. A reader
/// with an old snapshot prevents the restart, and overlapping readers prevent it permanently. Therefore the log is
/// checkpointed again after such a reader has ended. Above a certain log size, a commit waits briefly for readers.
///
/// Thread-safe.
final class WriteAheadLog: Sendable {
  /// By how many pages the log grows between two checkpoints: 4 MB.
  static let checkpointPages: Int32 = 1_000
  /// The number of pages in the log above which commits wait for readers.
  static let greatestPages: Int32 = 4_096
  /// To how many bytes SQLite truncates the log's file at a restart: ``greatestPages`` pages of the usual size.
  static let greatestBytes = 16 << 20
  /// How long a commit waits for readers at most. One commit waits for every 16 MB by which the log has grown.
  static let patienceMilliseconds: Int32 = 100
  /// The minimum time between two checkpoints that are attempted after reads.
  private static let pause = Duration.seconds(1)

  private struct State {
    var isTrying = false
    var isEnded = false
    var lastAttempt: ContinuousClock.Instant?
  }

  private let opening: ConnectionOpening
  private let state = Lock(State())
  /// The background checkpoint, for which ``end()`` waits.
  private let attempt = DispatchGroup()
  /// True if readers kept the last checkpoint from completing, which is rare. Tested after each read.
  private let isHeldUp = Atomic<Bool>(false)

  init(_ opening: ConnectionOpening) {
    self.opening = opening
  }

  /// Records whether readers kept the log from being checkpointed completely.
  func note(isHeldUp: Bool) { self.isHeldUp.store(isHeldUp, ordering: .relaxed) }

  /// If a reader prevented the last checkpoint, tries again, because that reader may have just ended.
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
    // Copying a log of gigabytes takes seconds. The finished read must not wait for it.
    DispatchQueue.global(qos: .utility).async { [self] in
      let isWanted = state.withLock { state in
        if !state.isEnded { attempt.enter() }
        return !state.isEnded
      }
      guard isWanted else { return }
      writeIntoFile()
      state.withLock { ($0.isTrying, $0.lastAttempt) = (false, .now) }
      attempt.leave()
    }
  }

  /// Stops the background checkpoints before the connections are closed. The last connection that is closed checkpoints
  /// the log, and after that the program may copy or replace the file.
  func end() {
    state.withLock { $0.isEnded = true }
    // From now on no background checkpoint starts, and a running one is awaited.
    attempt.wait()
  }

  /// Checkpoints the log with a connection of its own, and truncates it if no reader needs it.
  private func writeIntoFile() {
    guard let handle = try? opening.openHandle(mayCreate: false) else { return }
    handle.setBusyTimeout(milliseconds: 0)
    // A new connection opens the log only when it reads.
    guard (try? handle.number("PRAGMA schema_version")) != nil,
      let checkpoint = handle.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    else { return }
    note(isHeldUp: !checkpoint.isComplete)
    if checkpoint.isComplete { _ = handle.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
  }
}

/// The result of a checkpoint attempt.
struct LogCheckpoint {
  let pages: Int32
  let written: Int32

  var isComplete: Bool { written >= pages }
}

extension SQLiteHandle {
  /// Checkpoints the log; nil if it could not be attempted.
  func checkpoint(_ mode: Int32) -> LogCheckpoint? {
    var (pages, written): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(pointer, "main", mode, &pages, &written)
    guard code == SQLITE_OK || code == SQLITE_BUSY, pages >= 0 else { return nil }
    return LogCheckpoint(pages: pages, written: written)
  }
}

/// Handles the log after each commit of the write connection.
///
/// It replaces SQLite's own hook, which attempts a checkpoint after every commit beyond 1,000 pages. If a reader blocks
/// the checkpoints, each attempt scans the whole log, so commits become slower as the log grows.
///
/// Only used on the thread that uses the connection.
final class LogHook {
  private let log: WriteAheadLog
  /// The connection, which owns the hook.
  private unowned let handle: SQLiteHandle
  private let busyTimeout: Int32
  /// Called when the log has grown enough for another checkpoint.
  private let didWriteMuch: () -> Void
  /// The number of pages in the log after the last commit.
  private var pages: Int32 = 0
  /// Counts the commits of the connection.
  let commits = CommitCounter()
  private var nextAttempt = WriteAheadLog.checkpointPages
  private var nextWait = WriteAheadLog.greatestPages

  init(_ log: WriteAheadLog, on handle: SQLiteHandle, busyTimeout: Int32, didWriteMuch: @escaping () -> Void) {
    self.log = log
    self.handle = handle
    self.busyTimeout = busyTimeout
    self.didWriteMuch = didWriteMuch
  }

  fileprivate func didCommit(pages count: Int32) {
    commits.add(1)
    if count < pages { (nextAttempt, nextWait) = (WriteAheadLog.checkpointPages, WriteAheadLog.greatestPages) }
    pages = count
    if count >= nextAttempt { writeIntoFile() }
  }

  private func writeIntoFile() {
    nextAttempt = pages + WriteAheadLog.checkpointPages
    var checkpoint = handle.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    if pages >= nextWait {
      // Because the readers overlap, some reader always needs the log. While this commit waits, no other commit
      // follows. Readers that begin now therefore do not need the log, and the wait ends with the current readers.
      nextWait = pages + WriteAheadLog.greatestPages
      handle.setBusyTimeout(milliseconds: min(busyTimeout, WriteAheadLog.patienceMilliseconds))
      checkpoint = handle.checkpoint(SQLITE_CHECKPOINT_RESTART) ?? checkpoint
      handle.setBusyTimeout(milliseconds: busyTimeout)
    }
    log.note(isHeldUp: checkpoint?.isComplete == false)
    didWriteMuch()
  }
}

/// The number of commits of a connection, with wraparound. A commit is counted after it is in the log. Thread-safe.
///
/// Commits to attached databases would be counted too. The library attaches none.
final class CommitCounter: Sendable {
  private let count = Atomic<UInt32>(0)

  var value: UInt32 { count.load(ordering: .acquiring) }

  func add(_ number: UInt32) { count.wrappingAdd(number, ordering: .releasing) }
}

extension SQLiteHandle {
  /// Calls a hook after each commit of the connection.
  func watchLog(_ hook: LogHook) {
    logHook = hook
    // SQLite does not retain the hook. The handle retains it while the connection is open.
    sqlite3_wal_hook(pointer, Self.noteCommit, Unmanaged.passUnretained(hook).toOpaque())
  }

  /// Counts the commits to the log since ``watchLog(_:)`` was called; nil before.
  var ownCommits: CommitCounter? { logHook?.commits }

  /// Runs `body`, and counts the commits of `other` in it as commits of this connection, which the thread must own.
  func countAsOwn(commitsOf other: SQLiteHandle, _ body: () -> Void) {
    let counter = CommitCounter()
    // The hook does not retain the counter.
    sqlite3_wal_hook(other.pointer, Self.countCommit, Unmanaged.passUnretained(counter).toOpaque())
    withExtendedLifetime(counter, body)
    // Restores SQLite's own hook.
    sqlite3_wal_autocheckpoint(other.pointer, WriteAheadLog.checkpointPages)
    logHook?.commits.add(counter.value)
  }

  private static let countCommit:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      counter, _, _, _ in
      if let counter { Unmanaged<CommitCounter>.fromOpaque(counter).takeUnretainedValue().add(1) }
      return SQLITE_OK
    }

  private static let noteCommit:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      hook, _, _, pages in
      if let hook { Unmanaged<LogHook>.fromOpaque(hook).takeUnretainedValue().didCommit(pages: pages) }
      // The commit has succeeded, regardless of the checkpoint.
      return SQLITE_OK
    }
}

import CSQLite
import Dispatch
import PersistenceSupport
import Synchronization

/// The connections of one store: one that writes and some that read.
///
/// A thread that reads while it reads gets the connection that it has already, so that it never waits for itself.
/// A store in memory has one connection, which does both, for one thread at a time.
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

  /// Makes a pool around the connection that the store was opened with.
  ///
  /// - Parameter isSingle: Whether that connection is the only one.
  init(first connection: SQLiteConnection, opening: ConnectionOpening, isSingle: Bool? = nil) {
    self.opening = opening
    self.log = WriteAheadLog(opening)
    let isSingle = isSingle ?? opening.configuration.isInMemory
    self.isSingle = isSingle
    self.capacity = opening.configuration.readers
    self.state = Lock(isSingle ? State(idle: [], writer: connection) : State(idle: [connection]))
  }

  // MARK: Reading

  /// A connection for the current thread, until ``giveBackReader(_:)``.
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

  /// A connection for the current thread, until ``giveBackReader(_:)``; nil if all are in use.
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
    // Closing a connection takes long and happens outside of the lock, here, where its last reference goes.
    withExtendedLifetime(dropped) {}
    log.readerDidEnd()
  }

  /// Opens a connection that is none of the pool's, for the caller alone.
  func openOwn(forChanges: Bool = false) throws -> SQLiteConnection {
    if state.withLock(\.isClosed) { throw closedError }
    let connection = try opening.open(.reader)
    if forChanges { try opening.prepareForChanges(connection.handle) }
    return connection
  }

  /// Runs a block with a connection that reads, if it is idle; nil otherwise.
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

  /// Whether the current thread has a connection that reads. The one for everything has no snapshot of its own.
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

  /// Gives a returned connection to the first waiter, keeps it, or hands it out to be closed.
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

  /// Waits for a connection, but opens one more than there should be rather than wait for ever: those that have the
  /// others may be waiting for this thread.
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

  /// The connection that writes, for the caller alone until ``giveBackWriter()``.
  func takeWriter(isReentrant: Bool = false) throws -> SQLiteConnection {
    guard gate.enter(isReentrant: isReentrant || isSingle, deadline: { opening.deadline }) else { throw busyError }
    do {
      return try writer()
    } catch {
      gate.leave()
      throw error
    }
  }

  /// The connection that writes, if it is idle; nil otherwise.
  func takeIdleWriter() throws -> SQLiteConnection? {
    guard gate.enter(isReentrant: isSingle, deadline: { .now() }) else { return nil }
    do {
      return try writer()
    } catch {
      gate.leave()
      throw error
    }
  }

  /// Whether the connection that writes has been opened.
  var hasWriter: Bool { state.withLock { $0.writer != nil } }

  /// The connection that writes, if the current thread has it.
  var connectionWritingHere: SQLiteConnection? { gate.isOwnedHere ? state.withLock(\.writer) : nil }

  func giveBackWriter() {
    let dropped = state.withLock { state in
      guard state.isClosed else { return nil as SQLiteConnection? }
      return state.writer.take()
    }
    withExtendedLifetime(dropped) {}
    gate.leave()
  }

  /// Transfers ownership of the writer to the current thread. Call only on behalf of the owner.
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
    // Not in the save that happens to be the one.
    DispatchQueue.global(qos: .utility).async { [weak self] in self?.updateStatistics() }
  }

  /// Updates the statistics of SQLite's planner, if much has changed, no context saves, and none would have to wait.
  private func updateStatistics() {
    guard !isSingle, hasWriter, let writer = try? takeIdleWriter() else { return }
    defer { giveBackWriter() }
    guard let reader = state.withLock(\.idle.last) else { return }
    borrow(reader) {
      let reader = $0.handle
      // No save is there to be followed by a gap.
      writer.handle.countAsOwn(commitsOf: reader) {
        statistics.update(
          reader, changes: writer.handle.changeCount, busyTimeout: opening.configuration.busyTimeoutMilliseconds)
      }
    }
  }

  // MARK: Closing

  /// Closes the idle connections, and the others when they are given back.
  func close() {
    log.end()
    updateStatistics()
    let (dropped, waiters) = state.withLock { state in
      state.isClosed = true
      defer { (state.idle, state.waiters) = ([], []) }
      return (state.idle, state.waiters)
    }
    // They wake up without a connection and throw.
    for waiter in waiters { waiter.isServed.signal() }
    withExtendedLifetime(dropped) {}
    // An idle writer is closed here, and any other when it is given back.
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

/// Admits one owner at a time, first come, first served.
///
/// The owner is a thread, which may enter again when it says so. Where the owner stays inside for long, as a
/// transaction does, it may go on in another thread after telling the gate.
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

  /// Waits for the gate and says whether it opened before the deadline.
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
      // A waiter that has left the queue was let in after its time was up.
      guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return true }
      state.waiters.remove(at: index)
      return false
    }
  }

  /// Whether the current thread is inside.
  var isOwnedHere: Bool { state.withLock { $0.owner == ThreadIdentity.current } }

  /// Lets the next one in, once the owner has left as often as it entered.
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

  /// Makes the current thread the owner, on behalf of the owner.
  func adopt() {
    state.withLock { $0.owner = .current }
  }
}

/// Keeps the write-ahead log of a store small while connections read (decision 65).
///
/// SQLite writes the log into the file after each commit past 1,000 pages, and begins it anew once no reader needs it. A
/// reader with an old snapshot prevents that, and readers that overlap prevent it for ever. So the log is written into
/// the file again when such a reader has ended, and past a size a commit waits a moment for readers.
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
    var isEnded = false
    var lastAttempt: ContinuousClock.Instant?
  }

  private let opening: ConnectionOpening
  private let state = Lock(State())
  /// The attempt that has begun in the background.
  private let attempt = DispatchGroup()
  /// Whether readers kept the last attempt from its end. Asked after each read, and false nearly always.
  private let isHeldUp = Atomic<Bool>(false)

  init(_ opening: ConnectionOpening) {
    self.opening = opening
  }

  /// Notes whether the whole log has been written into the file.
  func note(isHeldUp: Bool) { self.isHeldUp.store(isHeldUp, ordering: .relaxed) }

  /// Writes the log into the file if a reader prevented that before: it may be the one that has just ended.
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
    // Copying a log of gigabytes takes seconds. The read that has ended must not wait for that.
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

  /// Ends the attempts, before the connections are closed: the last connection writes the log into the file, and the
  /// program that has closed the store may copy or replace the file at once.
  func end() {
    state.withLock { $0.isEnded = true }
    // One that is waiting for a thread has not begun, and does not begin any more.
    attempt.wait()
  }

  /// Writes the log into the file with a connection of its own, and truncates it if no reader needs it.
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
  /// How many commits the connection has made, from 0 on again behind the greatest number.
  fileprivate(set) var commits: UInt32 = 0
  private var nextAttempt = WriteAheadLog.checkpointPages
  private var nextWait = WriteAheadLog.greatestPages

  init(_ log: WriteAheadLog, on handle: SQLiteHandle, busyTimeout: Int32, didWriteMuch: @escaping () -> Void) {
    self.log = log
    self.handle = handle
    self.busyTimeout = busyTimeout
    self.didWriteMuch = didWriteMuch
  }

  fileprivate func didCommit(pages count: Int32) {
    commits &+= 1
    if count < pages { (nextAttempt, nextWait) = (WriteAheadLog.checkpointPages, WriteAheadLog.greatestPages) }
    pages = count
    if count >= nextAttempt { writeIntoFile() }
  }

  private func writeIntoFile() {
    nextAttempt = pages + WriteAheadLog.checkpointPages
    var checkpoint = handle.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    if pages >= nextWait {
      // Readers came and went all the time, and each kept a part of the log. No further commit comes for a moment, so
      // the present readers are the last that need it.
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

  /// How many commits to the log the connection has made since it is watched.
  var ownCommitCount: UInt32 { logHook?.commits ?? 0 }

  /// Counts the commits that another connection makes meanwhile as those of this one, which the calling thread has.
  func countAsOwn(commitsOf other: SQLiteHandle, _ body: () -> Void) {
    let counter = OwnCommits()
    // The counter lives longer than the hook.
    sqlite3_wal_hook(other.pointer, Self.countCommit, Unmanaged.passUnretained(counter).toOpaque())
    withExtendedLifetime(counter, body)
    // Puts SQLite's own hook back.
    sqlite3_wal_autocheckpoint(other.pointer, WriteAheadLog.checkpointPages)
    if let logHook { logHook.commits &+= counter.count }
  }

  private final class OwnCommits {
    var count: UInt32 = 0
  }

  private static let countCommit:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      counter, _, _, _ in
      if let counter { Unmanaged<OwnCommits>.fromOpaque(counter).takeUnretainedValue().count &+= 1 }
      return SQLITE_OK
    }

  private static let noteCommit:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      hook, _, _, pages in
      if let hook { Unmanaged<LogHook>.fromOpaque(hook).takeUnretainedValue().didCommit(pages: pages) }
      // The commit has succeeded, whatever becomes of the log.
      return SQLITE_OK
    }
}

import Dispatch
import PersistenceSupport

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

  /// Updates what SQLite plans by, if much has changed and nobody saves or would have to wait.
  private func updateStatistics() {
    guard !isSingle, hasWriter, let writer = try? takeIdleWriter() else { return }
    defer { giveBackWriter() }
    guard let reader = state.withLock(\.idle.last) else { return }
    borrow(reader) {
      statistics.update(
        $0.handle, changes: writer.handle.changeCount, busyTimeout: opening.configuration.busyTimeoutMilliseconds)
    }
  }

  // MARK: Closing

  /// Closes the idle connections, and the others when they are given back.
  func close() {
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

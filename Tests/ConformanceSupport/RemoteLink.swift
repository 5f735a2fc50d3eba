import PersistenceCore
import SwiftData

/// What a remote engine is asked for: a round trip each.
package enum RemoteCall: Sendable {
  case fetch, count, keys, explain, aggregate, members, history, reencrypt, check, backUp, erase
  case begin, lock, reserveKeys, insert, upsert, vacate, redirect, update, delete, references, pairs
  case savepoint, release, rollBackToSavepoint, prepareCommit, commit
}

/// The connection of a remote engine: it counts round trips, waits, goes and lets others in when a test says so.
///
/// Without a test that says so it counts, and lets other threads run, as whatever waits for a network does.
package final class RemoteLink: Sendable {
  private struct State {
    var tripCount = 0
    /// How many round trips there are before the one at which the connection goes.
    var tripsBeforeLoss: Int?
    var isDown = false
    var yields = true
    var beginsLate = false
    var isOptimistic = false
    var retryCount = 0
    /// Whether the commit is made whose answer is lost; nil when none is.
    var lostAnswer: Bool?
    /// Whether the next commit comes to the server before the next transaction.
    var delaysCommit = false
    var delayed: [@Sendable () throws -> Void] = []
    var actions: [(call: RemoteCall, run: @Sendable () throws -> Void)] = []
    var foreignCommits: [[ForeignRows]?] = []
    var longestHistory = 0
    var historyReadCount = 0
  }

  private let state = Lock(State())

  /// Hands out keys outside of transactions; nil if they are reserved in transactions, where they rise.
  package let keys: RemoteKeys?

  package init(keys: RemoteKeys? = nil) {
    self.keys = keys
  }

  /// The number of round trips so far, each of which would cost the latency of a network.
  package var tripCount: Int { state.withLock { $0.tripCount } }

  /// The greatest number of records of a history that the server has sent at once.
  package var longestHistory: Int { state.withLock { $0.longestHistory } }

  /// The number of reads of a history whose records have come: of what is saved from then on, they have nothing.
  package var historyReadCount: Int { state.withLock { $0.historyReadCount } }

  func noteHistory(_ count: Int) {
    state.withLock { state in
      state.longestHistory = max(state.longestHistory, count)
      state.historyReadCount += 1
    }
  }

  /// Whether other threads may run before each round trip.
  package var yields: Bool {
    get { state.withLock { $0.yields } }
    set { state.withLock { $0.yields = newValue } }
  }

  /// Whether a transaction begins with its first change: others may commit until then.
  package var beginsLate: Bool {
    get { state.withLock { $0.beginsLate } }
    set { state.withLock { $0.beginsLate = newValue } }
  }

  /// Whether the first attempt of a save aborts at the first row whose unique values another row has.
  package var isOptimistic: Bool {
    get { state.withLock { $0.isOptimistic } }
    set { state.withLock { $0.isOptimistic = newValue } }
  }

  /// The number of transactions of saves that were run again.
  package var retryCount: Int { state.withLock { $0.retryCount } }

  func noteRetry() { state.withLock { $0.retryCount += 1 } }

  /// Lets the server refuse a transaction at its next round trips of a kind, because of a concurrent one.
  package func refuse(_ call: RemoteCall, times: Int = 1) {
    for _ in 0..<times { before(call) { throw RemoteConflict.error } }
  }

  /// Lets the connection go while the next commit is on its way, so that its outcome is unknown.
  ///
  /// - Parameter commits: Whether the commit has come to the server, and only the answer is lost.
  package func loseAnswer(commits: Bool) { state.withLock { $0.lostAnswer = commits } }

  /// Lets the connection go while the next commit is on its way, which comes to the server just before the next
  /// transaction begins.
  package func delayCommit() { state.withLock { $0.delaysCommit = true } }

  func takeDelay() -> Bool {
    state.withLock { state in
      defer { state.delaysCommit = false }
      return state.delaysCommit
    }
  }

  /// Makes a commit just before the next transaction begins.
  func delay(_ commit: @escaping @Sendable () throws -> Void) { state.withLock { $0.delayed.append(commit) } }

  /// Makes the commits that have not come to the server yet.
  func arrive() throws {
    let commits = state.withLock { state in
      defer { state.delayed = [] }
      return state.delayed
    }
    for commit in commits { try commit() }
  }

  func takeLostAnswer() -> Bool? {
    state.withLock { state in
      defer { state.lostAnswer = nil }
      return state.lostAnswer
    }
  }

  /// Forgets everything that was to run before a round trip.
  package func forgetActions() { state.withLock { $0.actions = [] } }

  /// Runs something once, before the next round trip of a kind: a commit of another connection, for example. When it
  /// throws, the connection goes; with ``RemoteConflict/error`` the server aborts the transaction instead.
  package func before(_ call: RemoteCall, _ action: @escaping @Sendable () throws -> Void) {
    state.withLock { $0.actions.append((call, action)) }
  }

  /// Lets the connection go at a round trip, counted from 1 on. The next one after that has a new connection.
  package func go(atTrip trip: Int) {
    state.withLock { $0.tripsBeforeLoss = trip - 1 }
  }

  /// Whether there is no connection: every round trip fails.
  package var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
  }

  /// Lets the connection stay, which would have gone at a later round trip.
  package func stay() {
    state.withLock { $0.tripsBeforeLoss = nil }
  }

  /// Tells of a commit of another process.
  ///
  /// - Parameter rows: The rows that it changed; nil if the server does not know them.
  package func noteForeignCommit(_ rows: [ForeignRows]?) {
    state.withLock { $0.foreignCommits.append(rows) }
  }

  /// The number of commits of other processes.
  var foreignCommitCount: Int { state.withLock { $0.foreignCommits.count } }

  /// The rows of some commits of other processes; nil if one of them does not name its rows.
  func foreignRows(of commits: Range<Int>) -> [ForeignRows]? {
    state.withLock { state in
      var all: [ForeignRows] = []
      for commit in state.foreignCommits[commits] {
        guard let commit else { return nil }
        all += commit
      }
      return all
    }
  }

  /// Makes a round trip.
  ///
  /// - Throws: `SwiftDataError.storeUnreachable` when the connection has gone.
  func trip(_ call: RemoteCall) throws {
    let action = state.withLock { state -> (@Sendable () throws -> Void)? in
      state.tripCount += 1
      guard let index = state.actions.firstIndex(where: { $0.call == call }) else { return nil }
      return state.actions.remove(at: index).run
    }
    // Without the lock: the action may use this connection too.
    try action?()
    if yields { _ = sched_yield() }
    if goes() { throw Self.lossError }
  }

  private func goes() -> Bool {
    state.withLock { state in
      guard !state.isDown else { return true }
      guard let trips = state.tripsBeforeLoss else { return false }
      state.tripsBeforeLoss = trips > 0 ? trips - 1 : nil
      return trips <= 0
    }
  }

  /// What everything says that waits for an answer of a connection that has gone.
  static var lossError: SwiftDataError {
    SwiftDataError(.storeUnreachable, "The connection to the test's server has gone. Try again.")
  }
}

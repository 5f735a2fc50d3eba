import PersistenceCore
import SwiftData

/// The calls to a remote engine. Each call is one round trip to the server.
package enum RemoteCall: Sendable {
  case fetch, count, keys, explain, aggregate, members, history, reencrypt, check, backUp, erase
  case begin, lock, reserveKeys, insert, upsert, vacate, redirect, update, delete, references, pairs
  case savepoint, release, rollBackToSavepoint, prepareCommit, commit
}

/// The simulated connection of a remote engine. At a chosen round trip, a test can make the connection wait, lose it,
/// or let another connection commit.
///
/// By default it counts the round trips, and lets other threads run at each of them, as waiting for a network does.
package final class RemoteLink: Sendable {
  private struct State {
    var tripCount = 0
    /// The number of round trips that still succeed before the connection is lost; nil if no loss is planned.
    var tripsBeforeLoss: Int?
    var isDown = false
    var yields = true
    var beginsLate = false
    var isOptimistic = false
    var retryCount = 0
    /// Whether the server executes the commit during which the connection will be lost; nil if no such loss is planned.
    var lostAnswer: Bool?
    /// Whether the next commit takes effect late, when the next transaction begins.
    var delaysCommit = false
    var delayed: [@Sendable () throws -> Void] = []
    var actions: [(call: RemoteCall, run: @Sendable () throws -> Void)] = []
    var foreignCommits: [[ForeignRows]?] = []
    var longestHistory = 0
    var historyReadCount = 0
  }

  private let state = Lock(State())

  /// Reserves keys outside of transactions; nil if transactions reserve their keys, in increasing order.
  package let keys: RemoteKeys?

  package init(keys: RemoteKeys? = nil) {
    self.keys = keys
  }

  /// The number of round trips so far. On a real network, each of them would take as long as the network's latency.
  package var tripCount: Int { state.withLock { $0.tripCount } }

  /// The largest number of history records in one response of the server.
  package var longestHistory: Int { state.withLock { $0.longestHistory } }

  /// The number of reads of the history that have returned. A save that begins now is in none of them.
  package var historyReadCount: Int { state.withLock { $0.historyReadCount } }

  func noteHistory(_ count: Int) {
    state.withLock { state in
      state.longestHistory = max(state.longestHistory, count)
      state.historyReadCount += 1
    }
  }

  /// Whether a round trip lets other threads run, as waiting for a network does.
  package var yields: Bool {
    get { state.withLock { $0.yields } }
    set { state.withLock { $0.yields = newValue } }
  }

  /// Whether a transaction begins only with its first change. Other connections may commit until then.
  package var beginsLate: Bool {
    get { state.withLock { $0.beginsLate } }
    set { state.withLock { $0.beginsLate = newValue } }
  }

  /// Whether the first attempt of a save aborts at the first row whose unique values another row already has.
  package var isOptimistic: Bool {
    get { state.withLock { $0.isOptimistic } }
    set { state.withLock { $0.isOptimistic = newValue } }
  }

  /// The number of times that a save repeated its transaction.
  package var retryCount: Int { state.withLock { $0.retryCount } }

  func noteRetry() { state.withLock { $0.retryCount += 1 } }

  /// Makes the server abort the transaction at the next round trip of this kind, as if a concurrent transaction were
  /// the cause.
  package func refuse(_ call: RemoteCall, times: Int = 1) {
    for _ in 0..<times { before(call) { throw RemoteConflict.error } }
  }

  /// Loses the connection during the next commit, so that the engine does not learn the outcome of the commit.
  ///
  /// - Parameter commits: Whether the server executes the commit, so that only its acknowledgement is lost.
  package func loseAnswer(commits: Bool) { state.withLock { $0.lostAnswer = commits } }

  /// Loses the connection during the next commit. The commit takes effect just before the next transaction begins.
  package func delayCommit() { state.withLock { $0.delaysCommit = true } }

  func takeDelay() -> Bool {
    state.withLock { state in
      defer { state.delaysCommit = false }
      return state.delaysCommit
    }
  }

  /// Stores a commit, which ``arrive()`` runs just before the next transaction begins.
  func delay(_ commit: @escaping @Sendable () throws -> Void) { state.withLock { $0.delayed.append(commit) } }

  /// Runs the delayed commits.
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

  /// Removes all actions that wait for their round trip.
  package func forgetActions() { state.withLock { $0.actions = [] } }

  /// Runs an action once, before the next round trip of a kind. The action may be a commit of another connection, for
  /// example. If the action throws, the round trip fails with this error: after ``RemoteConflict/error`` the
  /// transaction is aborted, after any other error the connection is lost.
  package func before(_ call: RemoteCall, _ action: @escaping @Sendable () throws -> Void) {
    state.withLock { $0.actions.append((call, action)) }
  }

  /// Loses the connection at the given round trip from now, counted from 1. The round trip after that uses a new
  /// connection.
  package func go(atTrip trip: Int) {
    state.withLock { $0.tripsBeforeLoss = trip - 1 }
  }

  /// Whether the server is unreachable. If it is, every round trip fails.
  package var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
  }

  /// Cancels a loss of the connection that ``go(atTrip:)`` has planned.
  package func stay() {
    state.withLock { $0.tripsBeforeLoss = nil }
  }

  /// Records that another process has committed.
  ///
  /// - Parameter rows: The rows that the commit changed; nil if the server does not know them.
  package func noteForeignCommit(_ rows: [ForeignRows]?) {
    state.withLock { $0.foreignCommits.append(rows) }
  }

  /// The number of commits of other processes.
  var foreignCommitCount: Int { state.withLock { $0.foreignCommits.count } }

  /// The rows that some commits of other processes changed; nil if the rows of one of these commits are unknown.
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

  /// Simulates a round trip: runs the action that waits for it, and loses the connection if that is planned.
  ///
  /// - Throws: `SwiftDataError.storeUnreachable` if the connection was lost.
  func trip(_ call: RemoteCall) throws {
    let action = state.withLock { state -> (@Sendable () throws -> Void)? in
      state.tripCount += 1
      guard let index = state.actions.firstIndex(where: { $0.call == call }) else { return nil }
      return state.actions.remove(at: index).run
    }
    // Called without the lock, because the action may use this connection.
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

  /// The error of an operation if the connection is lost before the server has answered.
  static var lossError: SwiftDataError {
    SwiftDataError(.storeUnreachable, "The connection to the test's server has gone. Try again.")
  }
}

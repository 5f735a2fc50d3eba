import PersistenceCore
import SwiftData

/// The calls to a remote engine; each is a round trip.
package enum RemoteCall: Sendable {
  case fetch, count, keys, explain, aggregate, members, history, reencrypt, check, backUp, erase
  case begin, lock, reserveKeys, insert, upsert, vacate, redirect, update, delete, references, pairs
  case savepoint, release, rollBackToSavepoint, prepareCommit, commit
}

/// The connection of a remote engine. A test makes it wait, lose the connection or admit other commits at a round trip.
///
/// By default it counts round trips, and yields to other threads, as code that waits for a network does.
package final class RemoteLink: Sendable {
  private struct State {
    var tripCount = 0
    /// The number of round trips before the one at which the connection is lost.
    var tripsBeforeLoss: Int?
    var isDown = false
    var yields = true
    var beginsLate = false
    var isOptimistic = false
    var retryCount = 0
    /// Whether the commit takes effect whose answer is lost; nil if no answer is lost.
    var lostAnswer: Bool?
    /// Whether the next commit takes effect late, at the begin of the next transaction.
    var delaysCommit = false
    var delayed: [@Sendable () throws -> Void] = []
    var actions: [(call: RemoteCall, run: @Sendable () throws -> Void)] = []
    var foreignCommits: [[ForeignRows]?] = []
    var longestHistory = 0
    var historyReadCount = 0
  }

  private let state = Lock(State())

  /// Reserves keys outside of transactions; nil if transactions reserve them, in increasing order.
  package let keys: RemoteKeys?

  package init(keys: RemoteKeys? = nil) {
    self.keys = keys
  }

  /// The number of round trips so far; each would have the latency of a network.
  package var tripCount: Int { state.withLock { $0.tripCount } }

  /// The largest number of history records in one response of the server.
  package var longestHistory: Int { state.withLock { $0.longestHistory } }

  /// The number of history reads that have returned records. They do not contain later saves.
  package var historyReadCount: Int { state.withLock { $0.historyReadCount } }

  func noteHistory(_ count: Int) {
    state.withLock { state in
      state.longestHistory = max(state.longestHistory, count)
      state.historyReadCount += 1
    }
  }

  /// Whether other threads can run before each round trip.
  package var yields: Bool {
    get { state.withLock { $0.yields } }
    set { state.withLock { $0.yields = newValue } }
  }

  /// Whether a transaction begins with its first change; other connections may commit until then.
  package var beginsLate: Bool {
    get { state.withLock { $0.beginsLate } }
    set { state.withLock { $0.beginsLate = newValue } }
  }

  /// Whether the first attempt of a save aborts at the first row with the unique values of another row.
  package var isOptimistic: Bool {
    get { state.withLock { $0.isOptimistic } }
    set { state.withLock { $0.isOptimistic = newValue } }
  }

  /// The number of repeated transactions of saves.
  package var retryCount: Int { state.withLock { $0.retryCount } }

  func noteRetry() { state.withLock { $0.retryCount += 1 } }

  /// Makes the server abort a transaction at its next round trips of a kind, because of a concurrent transaction.
  package func refuse(_ call: RemoteCall, times: Int = 1) {
    for _ in 0..<times { before(call) { throw RemoteConflict.error } }
  }

  /// Loses the connection during the next commit, so that its outcome is unknown.
  ///
  /// - Parameter commits: Whether the commit takes effect, so that only the answer is lost.
  package func loseAnswer(commits: Bool) { state.withLock { $0.lostAnswer = commits } }

  /// Loses the connection during the next commit. The commit takes effect just before the next transaction begins.
  package func delayCommit() { state.withLock { $0.delaysCommit = true } }

  func takeDelay() -> Bool {
    state.withLock { state in
      defer { state.delaysCommit = false }
      return state.delaysCommit
    }
  }

  /// Runs a commit just before the next transaction begins.
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

  /// Removes all actions that wait for a round trip.
  package func forgetActions() { state.withLock { $0.actions = [] } }

  /// Runs an action once, before the next round trip of a kind: a commit of another connection, for example. If the
  /// action throws, the error replaces the round trip: after ``RemoteConflict/error`` the transaction is aborted, after
  /// any other error the connection is lost.
  package func before(_ call: RemoteCall, _ action: @escaping @Sendable () throws -> Void) {
    state.withLock { $0.actions.append((call, action)) }
  }

  /// Loses the connection at a round trip, counted from 1. The round trip after that has a new connection.
  package func go(atTrip trip: Int) {
    state.withLock { $0.tripsBeforeLoss = trip - 1 }
  }

  /// Whether the server is unreachable: every round trip fails.
  package var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
  }

  /// Cancels a scheduled loss of the connection.
  package func stay() {
    state.withLock { $0.tripsBeforeLoss = nil }
  }

  /// Reports a commit of another process.
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

  /// The error of operations that wait for an answer when the connection is lost.
  static var lossError: SwiftDataError {
    SwiftDataError(.storeUnreachable, "The connection to the test's server has gone. Try again.")
  }
}

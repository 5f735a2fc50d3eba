// Transactions of a store, and what contexts are told of commits that they do not make themselves.

import PersistenceRuntime
import PersistenceSupport
import Synchronization

extension StoreCoordinator {
  /// Deletes every row, and notifies all contexts.
  package func erase() throws {
    var number: Int64?
    do {
      try engine.erase { number = commits.begin() }
    } catch {
      if let number { end(number, isUncertain: UnknownOutcome.isCause(of: error)) }
      throw error
    }
    if let number { end(number, isUncertain: false) }
  }

  private func end(_ number: Int64, isUncertain: Bool) {
    guard !isUncertain else { return noteUncertain(commit: number, from: nil) }
    commits.end(number)
    notifyOfAll(after: number, from: nil)
  }

  // MARK: Commits of unknown outcome

  /// Begins a transaction, and notifies the contexts of commits that were uncertain: they have ended now
  /// (``UnknownOutcome``).
  func beginTransaction(retry: Int = 0) throws -> any StoreTransaction {
    let transaction = try retry > 0 ? engine.beginTransaction(retry: retry) : engine.beginTransaction()
    if hasUncertainCommits.load(ordering: .acquiring) { settleUncertainCommits() }
    return transaction
  }

  /// Notifies the other contexts of a commit that may come to the store later, or never.
  ///
  /// What they read now may be outdated by it. So the number has not ended, and they are told of it once more.
  func noteUncertain(commit number: Int64, from sender: ChangeInbox?) {
    uncertainCommits.withLock { commits in
      commits.append((number, sender))
      hasUncertainCommits.store(true, ordering: .releasing)
    }
    subscribers.notify(.unknown, from: sender)
  }

  private func settleUncertainCommits() {
    let settled = uncertainCommits.withLock { commits in
      defer { commits = [] }
      hasUncertainCommits.store(false, ordering: .releasing)
      return commits
    }
    for (number, sender) in settled {
      commits.end(number)
      notifyOfAll(after: number, from: sender)
    }
  }

  private func notifyOfAll(after number: Int64, from sender: ChangeInbox?) {
    var news = RemoteChanges.unknown
    news.note(commit: number, to: self)
    subscribers.notify(news, from: sender)
  }
}

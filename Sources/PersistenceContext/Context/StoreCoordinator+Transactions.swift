import PersistenceRuntime
import PersistenceSupport
import Synchronization

// Transactions of a store, and what contexts are told of commits that they do not make themselves.

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

  /// Notifies the other contexts of a commit.
  func notify(_ news: RemoteChanges, commit number: Int64, from sender: ChangeInbox) {
    guard subscribers.areSeveral else { return }
    var news = news
    news.note(commit: number, to: self)
    subscribers.notify(news, from: sender)
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
    watchers.notify(.unknown)
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
}

extension ModelContext {
  /// Commits a transaction of this context.
  ///
  /// - Parameter changesRows: Whether it changes or deletes rows that others may have read.
  /// - Returns: The number of the commit for the other contexts; nil if it does not concern them.
  /// - Throws: The error of the store, which may have committed nevertheless (`UnknownOutcome`).
  func commit(_ transaction: any StoreTransaction, to store: StoreCoordinator, changesRows: Bool) throws -> Int64? {
    guard changesRows else {
      try transaction.commit()
      return nil
    }
    // Numbered before the commit, so that no context takes its values for known ones.
    let number = store.commits.begin()
    do {
      try transaction.commit()
    } catch {
      guard !UnknownOutcome.isCause(of: error) else {
        // The number stays unknown here, so that the next save compares its rows.
        store.noteUncertain(commit: number, from: inbox)
        throw error
      }
      store.commits.end(number)
      know(number, of: store)
      store.notify(RemoteChanges(), commit: number, from: inbox)
      throw error
    }
    store.commits.end(number)
    know(number, of: store)
    return number
  }

  private func know(_ number: Int64, of store: StoreCoordinator) {
    guard let index = reaches.firstIndex(where: { $0.store === store }) else { return }
    reaches[index].reach.commits.insert(number)
  }
}

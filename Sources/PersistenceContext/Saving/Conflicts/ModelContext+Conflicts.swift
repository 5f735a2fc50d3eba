// The commits that a context knows, so that its saves compare rows only if others may have changed them.

import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Notes the commits before the context's first use of a store. It subscribed before that, so it gets all later ones.
  func noteFirstUse(of store: StoreCoordinator) {
    guard !reaches.contains(where: { $0.store === store }) else { return }
    // A running read of this thread has a snapshot that is older than the known commits.
    reaches.append((store, store.isReadingHere ? StoreReach() : StoreReach(of: store)))
  }

  /// Whether the context knows all commits of a store, so that its values are those of the rows. Called only inside of
  /// a transaction. It stays true only while no other can commit.
  func knowsAll(of store: StoreCoordinator) -> Bool {
    guard store.engine.isSingleWriter, let reach = reaches.first(where: { $0.store === store })?.reach else {
      return false
    }
    return reach.isComplete(for: store) && reach.commits.isComplete(through: store.commits.latest)
  }

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

  /// Notes the commits of applied remote changes.
  func know(_ known: [ObjectIdentifier: StoreReach]) {
    for index in reaches.indices {
      if let reach = known[ObjectIdentifier(reaches[index].store)] { reaches[index].reach.formUnion(reach) }
    }
  }

  /// Applies remote changes after a save that compared rows, so that the next save need not.
  ///
  /// If the changed rows are unknown, all objects have to be read again. That waits until saves have compared as many
  /// rows, so that a context with many models does not read all of them for each commit of another process.
  func catchUp() {
    guard comparedRows > 0, transactionSnapshot == nil else { return }
    let isWorthIt = comparedRows >= entityChanges.values.reduce(0) { $0 + $1.map.registeredCount }
    if isWorthIt {
      for (store, reach) in reaches where !reach.isComplete(for: store) {
        _ = store.announceForeignChanges()
        if !inbox.hasNews { store.notifyOfEverything(inbox) }
      }
    }
    if inbox.hasNews {
      if isWorthIt || !inbox.meansAll { receiveChanges() }
    } else if isWorthIt {
      comparedRows = 0
    }
  }

  /// Stores the resolved conflicts of a save, and logs them without values.
  func report(_ conflicts: [SaveConflict]) {
    resolvedConflicts += conflicts
    let list = conflicts.prefix(10).map(\.path).joined(separator: ", ")
    logger.notice("a save met \(conflicts.count) changes of others and merged by \(conflictPolicy): \(list)")
  }
}

extension StoreCoordinator {
  /// Notifies the other contexts of a commit.
  func notify(_ news: RemoteChanges, commit number: Int64, from sender: ChangeInbox) {
    guard subscribers.areSeveral else { return }
    var news = news
    news.note(commit: number, to: self)
    subscribers.notify(news, from: sender)
  }

  /// Makes one context read everything again, because its first use was inside of an older read.
  func notifyOfEverything(_ inbox: ChangeInbox) {
    var news = RemoteChanges.unknown
    news.reaches[ObjectIdentifier(self)] = StoreReach(of: self)
    inbox.receive(news)
  }
}

extension StoreReach {
  /// The commits that a complete read includes now.
  fileprivate init(of store: StoreCoordinator) {
    self.init(commits: store.commits.ended, foreignChanges: store.engine.foreignChangeCount)
  }

  /// Whether all commits so far are known.
  fileprivate func isComplete(for store: StoreCoordinator) -> Bool {
    isForeignComplete(through: store.engine.foreignChangeCount)
      && commits.isComplete(through: store.commits.settled)
  }
}

extension IdentityMap {
  /// The approximate number of registered objects.
  fileprivate var registeredCount: Int { isRoot ? objectCount : 0 }
}

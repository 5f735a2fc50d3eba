// What a context knows of a store, so that its saves compare rows only if others may have changed them.

import PersistenceRuntime

extension ModelContext {
  /// Notes how far the context knows a store when it reads from it for the first time. It has subscribed before, so that
  /// it is told of everything later.
  func noteFirstUse(of store: StoreCoordinator) {
    guard !reaches.contains(where: { $0.store === store }) else { return }
    // In the middle of a read of this thread the snapshot is older than what could be known.
    reaches.append((store, store.engine.isReadingHere ? StoreReach() : StoreReach(of: store)))
  }

  /// Whether the context knows everything that was committed to a store, so that the values that it has read are those of
  /// the rows. Only asked while a transaction is open, when nobody can commit.
  func knowsAll(of store: StoreCoordinator) -> Bool {
    guard let reach = reaches.first(where: { $0.store === store })?.reach else { return false }
    return reach.isComplete(for: store) && reach.commits.isComplete(through: store.commits.latest)
  }

  /// Commits a transaction of this context.
  ///
  /// - Parameter changesRows: Whether rows are changed or deleted that others may have read.
  /// - Returns: The number of the commit, which the others are to be told.
  func commit(_ transaction: any StoreTransaction, to store: StoreCoordinator, changesRows: Bool) throws -> Int64? {
    guard changesRows else {
      try transaction.commit()
      return nil
    }
    // Before the commit, so that nobody takes what it changes for what he knows.
    let number = store.commits.begin()
    do {
      try transaction.commit()
    } catch {
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
    guard let place = reaches.firstIndex(where: { $0.store === store }) else { return }
    reaches[place].reach.commits.insert(number)
  }

  /// Notes that the context has taken in what it was told.
  func know(_ known: [ObjectIdentifier: StoreReach]) {
    for place in reaches.indices {
      if let reach = known[ObjectIdentifier(reaches[place].store)] { reaches[place].reach.formUnion(reach) }
    }
  }

  /// Takes in what others saved, after a save that had to compare rows: the next one need not.
  ///
  /// Where nobody can say what changed, everything has to be read again. That waits until saves have compared as many
  /// rows as that is, so that a context with many models does not read all of them for each commit of another process.
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

  /// Remembers what a save merged, and says so in the log, which values are not for.
  func report(_ conflicts: [SaveConflict]) {
    resolvedConflicts += conflicts
    let list = conflicts.prefix(10).map(\.place).joined(separator: ", ")
    logger.notice("a save met \(conflicts.count) changes of others and merged by \(conflictPolicy): \(list)")
  }
}

extension StoreCoordinator {
  /// Tells the other contexts of a commit.
  func notify(_ news: RemoteChanges, commit number: Int64, from sender: ChangeInbox) {
    guard subscribers.areSeveral else { return }
    var news = news
    news.note(commit: number, to: self)
    subscribers.notify(news, from: sender)
  }

  /// Has one context read everything again: it began in the middle of an older read.
  func notifyOfEverything(_ inbox: ChangeInbox) {
    var news = RemoteChanges.unknown
    news.reaches[ObjectIdentifier(self)] = StoreReach(of: self)
    inbox.receive(news)
  }
}

extension StoreReach {
  /// What whoever reads everything now will know.
  fileprivate init(of store: StoreCoordinator) {
    self.init(
      commits: CommitNumbers(through: store.commits.settled), foreignChanges: store.engine.foreignChangeCount)
  }

  /// Whether nothing is missing that was committed and told.
  fileprivate func isComplete(for store: StoreCoordinator) -> Bool {
    foreignChanges >= store.engine.foreignChangeCount && commits.isComplete(through: store.commits.settled)
  }
}

extension IdentityMap {
  /// How many objects the map registers, about.
  fileprivate var registeredCount: Int { isRoot ? objectCount : 0 }
}

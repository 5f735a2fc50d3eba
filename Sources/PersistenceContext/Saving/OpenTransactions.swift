import PersistenceRuntime
import PersistenceSupport

/// The open store transactions of a `transaction` and of its inner transactions.
final class OpenTransactions {
  /// A savepoint in the transaction of a store, ended by ``release(_:)`` or a rollback to it.
  struct Mark {
    let store: StoreCoordinator
    let savepoint: Int
  }

  private var open: [(store: StoreCoordinator, transaction: any StoreTransaction)] = []
  /// The changes of which other contexts are notified after the commit. They may include rolled-back changes, which
  /// only cause unneeded reads.
  private var news: [(store: StoreCoordinator, news: RemoteChanges, sender: ChangeInbox)] = []
  /// The changes of which live queries are notified after the commit.
  private var watched: [ObjectIdentifier: CommittedChanges] = [:]
  /// True if a save recorded no changes because there was no live query. A query that began since has read old rows.
  private var hasUnwatchedSaves = false
  /// The errors after which stores rolled back the whole transaction, with all earlier saves in it.
  private var losses: [ObjectIdentifier: any Error] = [:]

  /// The stores that committed before the commit of another store failed.
  private(set) var committed: [StoreCoordinator] = []
  /// The store whose commit had an unknown outcome.
  private(set) var uncertain: StoreCoordinator?

  /// The open transaction of a store; nil if none was begun, or if the store has rolled it back.
  func transaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    open.first { $0.store === store && losses[ObjectIdentifier(store)] == nil }?.transaction
  }

  func begin(in store: StoreCoordinator) throws -> any StoreTransaction {
    try throwLoss(of: store)
    if let known = transaction(of: store) { return known }
    let transaction = try store.beginTransaction()
    open.append((store, transaction))
    return transaction
  }

  /// Sets a savepoint in every open transaction.
  func marks() throws -> [Mark] {
    try open.map { try mark($0.store) }
  }

  /// Sets a savepoint in the transaction of a store.
  func mark(_ store: StoreCoordinator) throws -> Mark {
    Mark(store: store, savepoint: try begin(in: store).savepoint())
  }

  /// Releases savepoints, and keeps the changes after them.
  func release(_ marks: [Mark]) throws {
    for (store, _) in open { try throwLoss(of: store) }
    for mark in marks.reversed() { try begin(in: mark.store).release(mark.savepoint) }
  }

  /// Commits to all stores, one by one.
  ///
  /// - Throws: The error of a store. ``committed`` lists the stores that had committed before the error.
  func commit(of context: ModelContext) throws {
    for (store, _) in open { try throwLoss(of: store) }
    let stores = open.map(\.store)
    do {
      if open.count > 1 { for (_, transaction) in open { try transaction.prepareCommit() } }
      while let (store, transaction) = open.first {
        let sent = news.filter { $0.store === store }
        let number = try context.commit(transaction, to: store, changesRows: !sent.isEmpty)
        open.removeFirst()
        for entry in sent { number.map { store.notify(entry.news, commit: $0, from: entry.sender) } }
        if !store.watchers.isEmpty { notifyWatchers(of: store) }
      }
    } catch {
      committed = stores.filter { store in !open.contains { $0.store === store } }
      // Only a commit can fail with an unknown outcome, and the failed commit is that of the first open store.
      uncertain = UnknownOutcome.isCause(of: error) ? open.first?.store : nil
      guard !committed.isEmpty, !open.isEmpty else { throw error }
      let partial = PartialCommit(
        saved: committed, refused: open.map(\.store), uncertain: uncertain,
        rest: "The rest of the transaction was undone.")
      throw partial.error(error)
    }
  }

  func note(_ changes: RemoteChanges, of store: StoreCoordinator, from inbox: ChangeInbox) {
    guard let index = news.firstIndex(where: { $0.store === store && $0.sender === inbox }) else {
      return news.append((store, changes, inbox))
    }
    news[index].news.merge(changes)
  }

  func note(_ changes: CommittedChanges?, of store: StoreCoordinator) {
    guard let changes else {
      hasUnwatchedSaves = true
      return
    }
    watched[ObjectIdentifier(store), default: CommittedChanges()].merge(changes)
  }

  private func notifyWatchers(of store: StoreCoordinator) {
    let changes = hasUnwatchedSaves ? .unknown : watched[ObjectIdentifier(store)]
    if let changes { store.watchers.notify(changes) }
  }

  // MARK: Rollback

  /// Rolls back to savepoints, and ends transactions that were begun after them.
  ///
  /// - Parameters:
  ///   - marks: The savepoints.
  ///   - error: The cause. If a store has rolled back its whole transaction, later uses of the store throw this error.
  func rollBack(to marks: [Mark], after error: any Error) {
    // The recorded changes may include changes that are rolled back now, so they are replaced by `unknown`.
    for store in watched.keys { watched[store] = .unknown }
    let stores = open.map(\.store)
    undo(marks.reversed(), after: error)
    open.removeAll { store, transaction in
      guard !marks.contains(where: { $0.store === store }) else { return false }
      transaction.rollBack()
      losses[ObjectIdentifier(store)] = nil
      return true
    }
    // Live queries without a connection of their own may have read rows that are rolled back now.
    for store in stores where !store.watchers.isEmpty { notifyWatchers(of: store) }
  }

  /// Rolls back to savepoints, and leaves other transactions unchanged.
  func undo(_ marks: some Sequence<Mark>, after error: any Error) {
    for mark in marks {
      guard let transaction = transaction(of: mark.store) else { continue }
      do {
        try transaction.rollBack(to: mark.savepoint)
      } catch _ {
        // The rollback to the savepoint failed because the store has already rolled back the whole transaction. The
        // earlier error is the cause.
        losses[ObjectIdentifier(mark.store)] = error
        transaction.rollBack()
      }
    }
  }

  private func throwLoss(of store: StoreCoordinator) throws {
    guard let loss = losses[ObjectIdentifier(store)] else { return }
    let cause = loss as? SwiftDataError
    throw SwiftDataError(
      cause?.kind ?? .storeFailure,
      "An earlier failure made the store undo all of the transaction, and not only the save that failed: "
        + "nothing since its start is saved. Let the transaction throw, and run it again. The failure was: "
        + "\(cause?.explanation ?? "\(loss)")",
      underlying: cause?.underlyingError ?? loss)
  }
}

extension ModelContext {
  /// Writes to a store outside of a save, in a separate transaction or in the open transaction of the context.
  ///
  /// - Throws: The error of `body` or of the store. In that case nothing is written.
  package func write(to store: StoreCoordinator, _ body: (any StoreTransaction) throws -> Void) throws {
    if let log = transactionSnapshot {
      let mark = try log.mark(store)
      do {
        try body(log.begin(in: store))
        return try log.release([mark])
      } catch {
        log.undo([mark], after: error)
        throw error
      }
    }
    let transaction = try store.beginTransaction()
    do {
      try body(transaction)
      try transaction.commit()
    } catch {
      transaction.rollBack()
      throw error
    }
  }
}

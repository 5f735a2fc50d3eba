import PersistenceRuntime
import PersistenceSupport

/// The transactions of the stores that a `transaction` has written to, and those inside it.
final class OpenTransactions {
  /// A store's transaction at some moment; ended by ``release(_:)`` or a return to it.
  struct Mark {
    let store: StoreCoordinator
    let savepoint: Int
  }

  private var open: [(store: StoreCoordinator, transaction: any StoreTransaction)] = []
  /// What other contexts are told with the commit. That something of it may be undone before makes them look in vain.
  private var news: [(store: StoreCoordinator, news: RemoteChanges, sender: ChangeInbox)] = []
  /// What made a store undo all of its transaction by itself, by store: what was saved before is not there any more.
  private var losses: [ObjectIdentifier: any Error] = [:]

  /// The stores that had committed when another could not.
  private(set) var committed: [StoreCoordinator] = []

  /// A store's transaction; nil where there is none, or none any more, and the store is as before it.
  func transaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    open.first { $0.store === store && losses[ObjectIdentifier(store)] == nil }?.transaction
  }

  func begin(in store: StoreCoordinator) throws -> any StoreTransaction {
    try throwLoss(of: store)
    if let known = transaction(of: store) { return known }
    let transaction = try store.engine.beginTransaction()
    open.append((store, transaction))
    return transaction
  }

  /// Marks where every open transaction stands.
  func marks() throws -> [Mark] {
    try open.map { try mark($0.store) }
  }

  /// Marks where the open transaction of a store stands.
  func mark(_ store: StoreCoordinator) throws -> Mark {
    Mark(store: store, savepoint: try begin(in: store).savepoint())
  }

  /// Forgets marks; what came after them stays.
  func release(_ marks: [Mark]) throws {
    for (store, _) in open { try throwLoss(of: store) }
    for mark in marks.reversed() { try begin(in: mark.store).release(mark.savepoint) }
  }

  /// Commits to all stores, one after the other.
  ///
  /// - Throws: Whatever a store throws. ``committed`` has those that had committed before.
  func commit(of context: ModelContext) throws {
    for (store, _) in open { try throwLoss(of: store) }
    let stores = open.map(\.store)
    do {
      if open.count > 1 { for (_, transaction) in open { try transaction.prepareCommit() } }
      while let (store, transaction) = open.first {
        let told = news.filter { $0.store === store }
        let number = try context.commit(transaction, to: store, changesRows: !told.isEmpty)
        open.removeFirst()
        for entry in told { number.map { store.notify(entry.news, commit: $0, from: entry.sender) } }
      }
    } catch {
      committed = stores.filter { store in !open.contains { $0.store === store } }
      guard !committed.isEmpty, !open.isEmpty else { throw error }
      let partial = PartialCommit(
        saved: committed, refused: open.map(\.store), rest: "The rest of the transaction was undone.")
      throw partial.error(error)
    }
  }

  func note(_ changes: RemoteChanges, of store: StoreCoordinator, from inbox: ChangeInbox) {
    guard let index = news.firstIndex(where: { $0.store === store && $0.sender === inbox }) else {
      return news.append((store, changes, inbox))
    }
    news[index].news.merge(changes)
  }

  // MARK: Going back

  /// Returns to marks. A transaction that was begun after them ends.
  ///
  /// - Parameter error: Why. It is what is thrown from now on where a store has undone more than that.
  func rollBack(to marks: [Mark], after error: any Error) {
    undo(marks.reversed(), after: error)
    open.removeAll { store, transaction in
      guard !marks.contains(where: { $0.store === store }) else { return false }
      transaction.rollBack()
      losses[ObjectIdentifier(store)] = nil
      return true
    }
  }

  /// Undoes what came after marks, and leaves other transactions as they are.
  func undo(_ marks: some Sequence<Mark>, after error: any Error) {
    for mark in marks {
      guard let transaction = transaction(of: mark.store) else { continue }
      do {
        try transaction.rollBack(to: mark.savepoint)
      } catch _ {
        // What the failure to return says is only that there is nothing to return to.
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

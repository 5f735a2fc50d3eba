/// The transactions of the stores that a `transaction` has written to, and those inside it.
final class OpenTransactions {
  /// A store's transaction at some moment.
  struct Mark {
    let store: StoreCoordinator
    let savepoint: Int
  }

  private var open: [(store: StoreCoordinator, transaction: any StoreTransaction)] = []
  /// What other contexts are told with the commit. That something of it may be undone before makes them look in vain.
  private var news: [(store: StoreCoordinator, news: ChangeNews, sender: ChangeInbox)] = []

  /// The stores that had committed when another could not.
  private(set) var committed: [StoreCoordinator] = []

  func transaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    open.first { $0.store === store }?.transaction
  }

  func begin(in store: StoreCoordinator) throws -> any StoreTransaction {
    if let known = transaction(of: store) { return known }
    let transaction = try store.engine.beginTransaction()
    open.append((store, transaction))
    return transaction
  }

  /// Marks where every open transaction stands.
  func marks() throws -> [Mark] {
    try open.map { Mark(store: $0.store, savepoint: try $0.transaction.savepoint()) }
  }

  /// Commits to all stores, one after the other.
  ///
  /// - Throws: Whatever a store throws. ``committed`` has those that had committed before.
  func commit(of context: ModelContext) throws {
    let stores = open.map(\.store)
    do {
      if open.count > 1 { for (_, transaction) in open { try transaction.prepareCommit() } }
      while let (store, transaction) = open.first {
        let count = store.engine.knownChangeCount
        try transaction.commit()
        context.didCommit(to: store, after: count)
        open.removeFirst()
        for entry in news where entry.store === store { store.subscribers.tell(entry.news, from: entry.sender) }
      }
    } catch {
      committed = stores.filter { store in !open.contains { $0.store === store } }
      guard !committed.isEmpty, !open.isEmpty else { throw error }
      let partial = PartialCommit(
        saved: committed, refused: open.map(\.store), rest: "The rest of the transaction was undone.")
      throw partial.error(error)
    }
  }

  func note(_ changes: ChangeNews, of store: StoreCoordinator, from inbox: ChangeInbox) {
    news.append((store, changes, inbox))
  }

  /// Returns to marks; a transaction that was begun after them, or that cannot return, ends.
  func rollBack(to marks: [Mark]) {
    open.removeAll { store, transaction in
      if let mark = marks.first(where: { $0.store === store }),
        (try? transaction.rollBack(to: mark.savepoint)) != nil
      {
        return false
      }
      transaction.rollBack()
      return true
    }
  }
}

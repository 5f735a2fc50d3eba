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

  func commit(of context: ModelContext) throws {
    while let (store, transaction) = open.first {
      let told = news.filter { $0.store === store }
      let number = try context.commit(transaction, to: store, changesRows: !told.isEmpty)
      open.removeFirst()
      for entry in told { number.map { store.tell(entry.news, commit: $0, from: entry.sender) } }
    }
  }

  func note(_ changes: ChangeNews, of store: StoreCoordinator, from inbox: ChangeInbox) {
    guard let known = news.firstIndex(where: { $0.store === store && $0.sender === inbox }) else {
      return news.append((store, changes, inbox))
    }
    news[known].news.merge(changes)
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

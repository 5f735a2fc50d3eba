/// What a running `transaction` needs to undo itself: what was pending when it began, and what it touched.
final class TransactionLog {
  /// An object that had pending changes when the transaction began.
  struct Snapshot {
    let object: any PersistentModel
    let map: IdentityMap
    let flags: ModelState.Flags
    let dirty: UInt64
    let values: [(keyPath: AnyKeyPath, value: Any)]
  }

  /// An object that the transaction changed, with the row that it had before.
  struct Touched {
    let object: any PersistentModel
    let map: IdentityMap
    let key: Int64
  }

  private(set) var snapshots: [Snapshot] = []
  private(set) var touched: [Touched] = []
  private var transactions: [(store: StoreCoordinator, transaction: any StoreTransaction)] = []

  func record(_ snapshot: Snapshot) {
    snapshots.append(snapshot)
  }

  func touch<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    let state = model._$state
    guard !state.pointee.flags.contains(.touched) else { return }
    state.pointee.flags.insert(.touched)
    touched.append(Touched(object: model, map: map, key: state.pointee.primaryKey))
  }

  // MARK: Stores

  func transaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    transactions.first { $0.store === store }?.transaction
  }

  /// The transaction in which everything that is saved until the end goes.
  func begin(in store: StoreCoordinator) throws -> any StoreTransaction {
    if let open = transaction(of: store) { return open }
    let transaction = try store.engine.beginTransaction()
    transactions.append((store, transaction))
    return transaction
  }

  func commit() throws {
    while let (_, transaction) = transactions.first {
      try transaction.commit()
      transactions.removeFirst()
    }
  }

  func rollBack() {
    for (_, transaction) in transactions { transaction.rollBack() }
    transactions.removeAll()
  }

  /// Undoes what a context leaves behind that goes in the middle.
  func abandon() {
    rollBack()
  }
}

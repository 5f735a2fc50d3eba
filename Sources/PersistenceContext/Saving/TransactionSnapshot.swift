import PersistenceRuntime
import PersistenceSupport

/// The state that an undo of a running `transaction` needs: the pending changes at its beginning, and the objects that
/// it touched. Only used on the context's thread or actor.
///
/// An inner transaction has its own snapshot, and uses the same store transactions.
final class TransactionSnapshot {
  /// The state of an object with pending changes at the beginning of the transaction.
  struct Snapshot {
    let object: any PersistentModel
    let changes: EntityChanges
    let flags: ModelState.Flags
    let dirty: UInt64
    let values: [(keyPath: AnyKeyPath, value: Any)]
    let relationships: [(position: Int, objects: ContiguousArray<AnyObject>)]
    let lists: [ListChanges]
    /// The former row of an object that was deleted, saved and inserted again.
    let formerRow: (entity: StoreEntity, key: Int64)?
  }

  /// An object that the transaction changed, with its key before the change.
  struct Touched {
    let object: any PersistentModel
    let map: IdentityMap
    let key: Int64
    /// Whether no outer transaction has touched the object.
    let isFirst: Bool
  }

  let parent: TransactionSnapshot?
  private(set) var snapshots: [Snapshot] = []
  /// The list positions that objects had before saves of the transaction changed them.
  private var ranks: [(changes: EntityChanges, position: Int, key: Int64, rank: Double?)] = []
  /// The keys of batch-deleted rows at the beginning of the transaction.
  var batchDeletedKeys: [(changes: EntityChanges, keys: Set<Int64>)] = []
  /// The unread rows to which deletions had cascaded at the beginning of the transaction.
  var cascadedRows: [CascadedRows] = []
  /// The original values of the changes that were pending at the beginning of the transaction.
  var originals: [(changes: EntityChanges, values: OriginalValues)] = []
  private(set) var touched: [Touched] = []
  /// Relationships that were read after a save of the transaction. The owners are not retained, only their keys.
  private var reads: [(map: IdentityMap, position: Int, keys: [Int64])] = []
  /// The stores in which saves deleted rows. Foreign keys may have changed other rows there.
  private var deletingStores: Set<ObjectIdentifier> = []
  /// The rows that were read after a save deleted rows of their store, by root map.
  private(set) var rows: [ObjectIdentifier: (map: IdentityMap, keys: Set<Int64>)] = [:]
  /// The objects of ``touched`` in an inner transaction. The flag `touched` of an object is not enough: an outer
  /// transaction may have set it.
  private var identities: Set<ObjectIdentifier> = []
  private let stores: OpenTransactions
  /// The savepoints at the beginning of the transaction.
  private let start: [OpenTransactions.Mark]

  init(inside parent: TransactionSnapshot?) throws {
    self.parent = parent
    stores = parent?.stores ?? OpenTransactions()
    start = try stores.marks()
  }

  func record(_ snapshot: Snapshot) {
    snapshots.append(snapshot)
  }

  func touch<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    let state = model._$state
    let isFirst = !state.pointee.flags.contains(.touched)
    guard isFirst || parent != nil else { return }
    state.pointee.flags.insert(.touched)
    add(Touched(object: model, map: map, key: state.pointee.primaryKey, isFirst: isFirst))
  }

  private func add(_ new: Touched) {
    let isKnown = parent == nil ? !new.isFirst : !identities.insert(ObjectIdentifier(new.object)).inserted
    if !isKnown { touched.append(new) }
  }

  /// The touched objects, each in its first state. An object that was deleted and inserted again is recorded twice.
  var restorable: [Touched] {
    var known: Set<ObjectIdentifier> = []
    return touched.filter { known.insert(ObjectIdentifier($0.object)).inserted }
  }

  func noteRank(of key: Int64, at position: Int, in changes: EntityChanges) {
    ranks.append((changes, position, key, changes.listPositions[position]?[key]))
  }

  func restoreRanks() {
    for (changes, position, key, rank) in ranks.reversed() {
      changes.listPositions[position, default: [:]][key] = rank
    }
    ranks = []
  }

  /// Records a relationship that was read after a save of the transaction, so that an undo empties it.
  func noteRead(_ keys: [Int64], at position: Int, in map: IdentityMap) {
    if transaction(of: map.store) != nil { reads.append((map, position, keys)) }
  }

  /// Records that a save deletes rows of a store. The foreign keys of the store may change any other row.
  func noteDeletion(in store: StoreCoordinator) { deletingStores.insert(ObjectIdentifier(store)) }

  private func hasDeleted(in store: StoreCoordinator) -> Bool {
    deletingStores.contains(ObjectIdentifier(store)) || parent?.hasDeleted(in: store) == true
  }

  /// Records a read of rows that foreign keys may have changed, so that an undo reads the rows again.
  func noteRows(_ keys: @autoclosure () -> [Int64], in map: IdentityMap) {
    guard hasDeleted(in: map.store) else { return }
    add(keys(), in: map.rootMap)
  }

  private func add(_ keys: some Sequence<Int64>, in root: IdentityMap) {
    rows[ObjectIdentifier(root), default: (root, [])].keys.formUnion(keys)
  }

  /// After the rollback of the stores, empties relationships that were read inside of the transaction. The undo also
  /// restores touched objects, but the owners of batch-deleted rows are not recorded as touched.
  func releaseReads() {
    for (map, position, keys) in reads {
      guard let relationship = map.entity.relationship(at: position) else { continue }
      for key in keys {
        for object in map.objects(ofRow: key) { map.entity.model(object)._$forgetRead(relationship) }
      }
    }
    reads = []
  }

  /// Ends the transaction, and merges its touched objects into the outer transaction.
  func end() {
    guard let parent else {
      for touched in touched { touched.object._$state.pointee.flags.remove(.touched) }
      return
    }
    parent.ranks += ranks
    parent.reads += reads
    parent.deletingStores.formUnion(deletingStores)
    for (map, keys) in rows.values { parent.add(keys, in: map) }
    // Merges only the objects of this transaction. Many small inner transactions must not merge all objects each time.
    for touched in touched { parent.add(touched) }
  }

  /// Sets the flag `touched` again, for objects that an outer transaction has touched too.
  func restoreFlags() {
    for touched in touched where !touched.isFirst { touched.object._$state.pointee.flags.insert(.touched) }
  }

  // MARK: Stores

  /// The store whose commit had an unknown outcome.
  var uncertainStore: StoreCoordinator? { stores.uncertain }

  func transaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    stores.transaction(of: store)
  }

  /// The store transaction that all saves until the end of this transaction use; begun on first use.
  func begin(in store: StoreCoordinator) throws -> any StoreTransaction {
    try stores.begin(in: store)
  }

  /// Adds changes of which the other contexts are notified after the commit.
  func note(_ news: RemoteChanges, of store: StoreCoordinator, from inbox: ChangeInbox) {
    stores.note(news, of: store, from: inbox)
  }

  /// Adds changes of which live queries are notified after the commit. Nil if there are no live queries.
  func note(_ changes: CommittedChanges?, of store: StoreCoordinator) { stores.note(changes, of: store) }

  /// Commits, unless there is an outer transaction.
  ///
  /// If a store fails after others have committed, the changes of the committed stores stay. The rest is undone.
  func commit(of context: ModelContext) throws {
    guard parent == nil else { return try stores.release(start) }
    do {
      try stores.commit(of: context)
    } catch {
      for store in stores.committed { forget(store) }
      throw error
    }
  }

  /// Forgets what was recorded for a store, so that an undo does not change the objects of this store.
  private func forget(_ store: StoreCoordinator) {
    for touched in touched { touched.object._$state.pointee.flags.remove(.touched) }
    snapshots.removeAll { $0.changes.map.store === store }
    touched.removeAll { $0.map.store === store }
    ranks.removeAll { $0.changes.map.store === store }
    reads.removeAll { $0.map.store === store }
    rows = rows.filter { $0.value.map.store !== store }
    batchDeletedKeys.removeAll { $0.changes.map.store === store }
    cascadedRows.removeAll { $0.map.store === store }
    originals.removeAll { $0.changes.map.store === store }
    // Sets the flag of the other objects again. Only the outermost transaction commits, so it has all touched objects.
    for touched in touched { touched.object._$state.pointee.flags.insert(.touched) }
  }

  // MARK: Saves

  /// Sets a savepoint in a store before a save writes.
  func mark(_ store: StoreCoordinator) throws -> OpenTransactions.Mark {
    try stores.mark(store)
  }

  /// Releases the savepoints of a successful save.
  func release(_ marks: [OpenTransactions.Mark]) throws {
    try stores.release(marks)
  }

  /// Rolls back a failed save. The transaction continues, unless a store has rolled back the whole transaction. In that
  /// case, later uses of the store throw.
  func undo(_ marks: [OpenTransactions.Mark], after error: any Error) {
    stores.undo(marks.reversed(), after: error)
  }

  // MARK: Rollback

  /// Rolls back the stores to the beginning of this transaction.
  ///
  /// - Parameter error: The error of the transaction.
  func rollBack(after error: any Error) {
    stores.rollBack(to: start, after: error)
  }

  /// Rolls back all store transactions, if the context is released inside of a transaction.
  func abandon() {
    stores.rollBack(to: [], after: CancellationError())
  }
}

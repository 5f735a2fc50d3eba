import PersistenceRuntime

/// What a running `transaction` needs to undo itself: what was pending when it began, and what it touched.
///
/// A transaction inside another has a log of its own over the same open transactions of the stores.
final class TransactionSnapshot {
  /// An object that had pending changes when the transaction began.
  struct Snapshot {
    let object: any PersistentModel
    let changes: EntityChanges
    let flags: ModelState.Flags
    let dirty: UInt64
    let values: [(keyPath: AnyKeyPath, value: Any)]
    let relationships: [(position: Int, objects: ContiguousArray<AnyObject>)]
    let lists: [ListChanges]
    /// The row that an object had which waits to be inserted again.
    let formerRow: (entity: StoreEntity, key: Int64)?
  }

  /// An object that the transaction changed, with the row that it had before.
  struct Touched {
    let object: any PersistentModel
    let map: IdentityMap
    let key: Int64
    /// Whether no transaction around this one has touched it.
    let isFirst: Bool
  }

  let parent: TransactionSnapshot?
  private(set) var snapshots: [Snapshot] = []
  /// Where objects stood in relationships before saves of the transaction moved them.
  private var places: [(changes: EntityChanges, position: Int, key: Int64, place: Double?)] = []
  /// The rows without objects that waited to be deleted.
  var batchDeletedKeys: [(changes: EntityChanges, keys: Set<Int64>)] = []
  /// What properties with pending changes had been.
  var originals: [(changes: EntityChanges, values: OriginalValues)] = []
  private(set) var touched: [Touched] = []
  /// Relationships that were read from a store with what the transaction had saved, by the rows of their owners: the
  /// log does not keep these in memory.
  private var reads: [(map: IdentityMap, position: Int, keys: [Int64])] = []
  /// The stores from which saves deleted rows, which may change others that no code of the context knows of.
  private var deletingStores: Set<ObjectIdentifier> = []
  /// The rows that were read since then, by the maps that register their objects.
  private(set) var rows: [ObjectIdentifier: (map: IdentityMap, keys: Set<Int64>)] = [:]
  /// What is in ``touched``, in a transaction inside another: the object's flag does not say in which of them it is.
  private var identities: Set<ObjectIdentifier> = []
  private let stores: OpenTransactions
  /// Where the transactions of the stores stood when this one began.
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

  /// What the transaction touched, each object as it was when that was first done: one that was deleted, saved and
  /// inserted again was touched twice.
  var restorable: [Touched] {
    var known: Set<ObjectIdentifier> = []
    return touched.filter { known.insert(ObjectIdentifier($0.object)).inserted }
  }

  func noteRank(of key: Int64, at position: Int, in changes: EntityChanges) {
    places.append((changes, position, key, changes.listPositions[position]?[key]))
  }

  /// Makes the context know again where objects stood.
  func restoreRanks() {
    for (changes, position, key, place) in places.reversed() {
      changes.listPositions[position, default: [:]][key] = place
    }
    places = []
  }

  /// Notes that a relationship of some rows was read. Until something is saved, that is what it is outside too.
  func noteRead(_ keys: [Int64], at position: Int, in map: IdentityMap) {
    if transaction(of: map.store) != nil { reads.append((map, position, keys)) }
  }

  /// Notes that a save deletes rows of a store, whose rules of references may change any other row.
  func noteDeletion(in store: StoreCoordinator) { deletingStores.insert(ObjectIdentifier(store)) }

  private func hasDeleted(in store: StoreCoordinator) -> Bool {
    deletingStores.contains(ObjectIdentifier(store)) || parent?.hasDeleted(in: store) == true
  }

  /// Notes that rows were read that the store may have changed, so that they are read again when that is undone.
  func noteRows(_ keys: @autoclosure () -> [Int64], in map: IdentityMap) {
    guard hasDeleted(in: map.store) else { return }
    add(keys(), in: map.rootMap)
  }

  private func add(_ keys: some Sequence<Int64>, in root: IdentityMap) {
    rows[ObjectIdentifier(root), default: (root, [])].keys.formUnion(keys)
  }

  /// Has relationships read again, now that their store is as before. Who changed them was touched and reads his row;
  /// of rows that went without an object their holders were not told.
  func releaseReads() {
    for (map, position, keys) in reads {
      guard let relationship = map.entity.relationship(at: position) else { continue }
      for key in keys {
        for object in map.objects(ofRow: key) { map.entity.model(object)._$forgetRead(relationship) }
      }
    }
    reads = []
  }

  /// Ends the log; what it touched, the transaction around it has touched too.
  func end() {
    guard let parent else {
      for touched in touched { touched.object._$state.pointee.flags.remove(.touched) }
      return
    }
    parent.places += places
    parent.reads += reads
    parent.deletingStores.formUnion(deletingStores)
    for (map, keys) in rows.values { parent.add(keys, in: map) }
    // Only its own: a transaction of many small ones must not go over all that went before with each.
    for touched in touched { parent.add(touched) }
  }

  /// Says again of objects that a transaction around this one touched them, too.
  func restoreFlags() {
    for touched in touched where !touched.isFirst { touched.object._$state.pointee.flags.insert(.touched) }
  }

  // MARK: Stores

  func transaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    stores.transaction(of: store)
  }

  /// The transaction in which everything that is saved until the end goes.
  func begin(in store: StoreCoordinator) throws -> any StoreTransaction {
    try stores.begin(in: store)
  }

  /// Notes what other contexts are told when everything is committed.
  func note(_ news: RemoteChanges, of store: StoreCoordinator, from inbox: ChangeInbox) {
    stores.note(news, of: store, from: inbox)
  }

  /// Commits, unless the transaction around this one still has to.
  ///
  /// If a store fails when others have committed, these have what the transaction did, and it is undone in the others only.
  func commit(of context: ModelContext) throws {
    guard parent == nil else { return try stores.release(start) }
    do {
      try stores.commit(of: context)
    } catch {
      for store in stores.committed { forget(store) }
      throw error
    }
  }

  /// Lets go of what the log knows of a store, so that nothing of it is undone.
  private func forget(_ store: StoreCoordinator) {
    for touched in touched { touched.object._$state.pointee.flags.remove(.touched) }
    snapshots.removeAll { $0.changes.map.store === store }
    touched.removeAll { $0.map.store === store }
    places.removeAll { $0.changes.map.store === store }
    reads.removeAll { $0.map.store === store }
    rows = rows.filter { $0.value.map.store !== store }
    batchDeletedKeys.removeAll { $0.changes.map.store === store }
    originals.removeAll { $0.changes.map.store === store }
    // Only the outermost transaction commits, so every object is its own.
    for touched in touched { touched.object._$state.pointee.flags.insert(.touched) }
  }

  // MARK: Saves

  /// Marks where a store stands before something is written to it.
  func mark(_ store: StoreCoordinator) throws -> OpenTransactions.Mark {
    try stores.mark(store)
  }

  /// Ends a save that succeeded.
  func release(_ marks: [OpenTransactions.Mark]) throws {
    try stores.release(marks)
  }

  /// Undoes a save that failed. The transaction goes on, unless a store has undone all of it: then nothing more can be
  /// written, and it throws at its end.
  func undo(_ marks: [OpenTransactions.Mark], after error: any Error) {
    stores.undo(marks.reversed(), after: error)
  }

  // MARK: Going back

  /// Returns the stores to where they stood when this transaction began.
  ///
  /// - Parameter error: What the transaction throws.
  func rollBack(after error: any Error) {
    stores.rollBack(to: start, after: error)
  }

  /// Undoes everything that a context leaves behind that goes in the middle.
  func abandon() {
    stores.rollBack(to: [], after: CancellationError())
  }
}

/// What a running `transaction` needs to undo itself: what was pending when it began, and what it touched.
///
/// A transaction inside another has a log of its own over the same open transactions of the stores.
final class TransactionLog {
  /// An object that had pending changes when the transaction began.
  struct Snapshot {
    let object: any PersistentModel
    let map: IdentityMap
    let flags: ModelState.Flags
    let dirty: UInt64
    let values: [(keyPath: AnyKeyPath, value: Any)]
    let relationships: [(position: Int, objects: ContiguousArray<AnyObject>)]
    let lists: [ListChanges]
  }

  /// An object that the transaction changed, with the row that it had before.
  struct Touched {
    let object: any PersistentModel
    let map: IdentityMap
    let key: Int64
  }

  let parent: TransactionLog?
  private(set) var snapshots: [Snapshot] = []
  /// Where objects stood in relationships before saves of the transaction moved them.
  private var places: [(map: IdentityMap, position: Int, key: Int64, place: Double?)] = []
  /// The rows without objects that waited to be deleted.
  var swept: [(map: IdentityMap, keys: Set<Int64>)] = []
  /// What properties with pending changes had been.
  var originals: [(map: IdentityMap, values: OriginalValues)] = []
  private(set) var touched: [Touched] = []
  private let stores: OpenTransactions
  /// Where the transactions of the stores stood when this one began.
  private let start: [OpenTransactions.Mark]

  init(inside parent: TransactionLog?) throws {
    self.parent = parent
    stores = parent?.stores ?? OpenTransactions()
    start = try stores.marks()
    parent?.forgetFlags()
  }

  func record(_ snapshot: Snapshot) {
    snapshots.append(snapshot)
  }

  func touch<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    let state = model._$state
    guard !state.pointee.flags.contains(.touched) else { return }
    state.pointee.flags.insert(.touched)
    touched.append(Touched(object: model, map: map, key: state.pointee.primaryKey))
  }

  func notePlace(of key: Int64, at position: Int, in map: IdentityMap) {
    places.append((map, position, key, map.listPositions[position]?[key]))
  }

  /// Makes the maps know again where objects stood.
  func restorePlaces() {
    for (map, position, key, place) in places.reversed() { map.listPositions[position, default: [:]][key] = place }
    places = []
  }

  /// Ends the log; what it touched, the transaction around it has touched too.
  func end() {
    forgetFlags()
    guard let parent else { return }
    parent.places += places
    let known = Set(parent.touched.map { ObjectIdentifier($0.object) })
    parent.touched += touched.filter { !known.contains(ObjectIdentifier($0.object)) }
    parent.restoreFlags()
  }

  private func forgetFlags() {
    for touched in touched { touched.object._$state.pointee.flags.remove(.touched) }
  }

  func restoreFlags() {
    for touched in touched { touched.object._$state.pointee.flags.insert(.touched) }
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
  func note(_ news: ChangeNews, of store: StoreCoordinator, from inbox: ChangeInbox) {
    stores.note(news, of: store, from: inbox)
  }

  /// Commits, unless the transaction around this one still has to.
  ///
  /// If a store fails when others have committed, these have what the transaction did, and it is undone in the others only.
  func commit(of context: ModelContext) throws {
    guard parent == nil else { return }
    do {
      try stores.commit(of: context)
    } catch {
      for store in stores.committed { forget(store) }
      throw error
    }
  }

  /// Lets go of what the log knows of a store, so that nothing of it is undone.
  private func forget(_ store: StoreCoordinator) {
    forgetFlags()
    snapshots.removeAll { $0.map.store === store }
    touched.removeAll { $0.map.store === store }
    places.removeAll { $0.map.store === store }
    swept.removeAll { $0.map.store === store }
    originals.removeAll { $0.map.store === store }
    restoreFlags()
  }

  /// Returns the stores to where they stood when this transaction began.
  func rollBack() {
    stores.rollBack(to: start)
  }

  /// Undoes everything that a context leaves behind that goes in the middle.
  func abandon() {
    stores.rollBack(to: [])
  }
}

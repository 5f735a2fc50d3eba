import PersistenceRuntime
import PersistenceSupport

extension SavedChanges {
  /// Updates the objects and the lists of changes after the commit of a store.
  func didCommit(_ store: StoreCoordinator, in context: ModelContext) {
    context.saveCount += 1
    bindings.commit(store)
    relationships(of: store)?.didCommit(log: context.transactionSnapshot)
    var isExpected = true
    for changes in entities where changes.map.store === store {
      didCommit(changes, as: changes.map.entity.modelType)
      let batchDeletedCount = changes.source.isRoot ? changes.source.batchDeletedKeys.count : 0
      if !changes.source.clearPending(savedBy: changes) { isExpected = false }
      context.pending.inserted -= changes.inserted.count
      context.pending.changed -= changes.changed.count
      context.pending.deleted -= changes.deleted.count
      context.pending.batchDeletedKeys -= batchDeletedCount
    }
    if !isExpected { context.countPending() }
    if !context.cascadedRows.isEmpty { context.forgetCascadedRows(of: store) }
    upserts.didCommit(store)
    part(of: store)?.takeConflicts()?.didCommit(store, in: context)
    for changes in entities where changes.map.store === store && !changes.map.seconds.isEmpty {
      context.refreshRows(of: changes.changed, in: changes.map)
    }
    if affected != nil { takeInAffected(by: store, in: context) }
  }

  private func didCommit<T: PersistentModel>(_ changes: SavedEntity, as type: T.Type) {
    let (map, lateChanges) = (changes.map, changes.lateChanges)
    changes.inserted.forEachUnretained(as: T.self) { model in
      didInsert(model, in: map, keeping: lateChanges?.mask(of: model) ?? 0)
    }
    for object in changes.changed {
      let state = unsafeDowncast(object, to: T.self)._$state
      let late = lateChanges?.mask(of: object) ?? 0
      state.pointee.dirty = late
      if late == 0 { state.pointee.flags.remove(.changed) }
      if state.pointee.extras != nil {
        let modified = didWriteLists(unsafeDowncast(object, to: T.self), keeping: late)
        state.pointee.dirty |= modified
        if modified != 0 { state.pointee.flags.insert(.changed) }
      }
    }
    if map.entity.hasRelationships || !map.seconds.isEmpty {
      for object in changes.deleted { didDelete(unsafeDowncast(object, to: T.self), in: map) }
    } else if !changes.deleted.isEmpty {
      map.unregister(changes.deleted, keys: changes.deletedKeys)
      changes.deleted.forEachUnretained(as: T.self) { $0._$state.pointee.becomeDeleted() }
    }
    // A fetch that excludes pending changes may have created objects of batch-deleted rows meanwhile.
    for key in changes.batchDeletedKeys {
      if let object = map.anyObject(ofRow: key) { didBatchDelete(unsafeDowncast(object, to: T.self), in: map) }
    }
  }

  private func didBatchDelete<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    let own = model._$state.pointee.identityMap ?? map
    // A batch deletion records no objects, so the object is recorded here for the undo of a transaction.
    map.context?.didTouch(model, in: own)
    didDelete(model, in: own)
  }

  /// - Parameter late: The properties that were changed since they were written.
  private func didInsert<T: PersistentModel>(_ model: T, in map: IdentityMap, keeping late: UInt64) {
    let state = model._$state
    // Code that the save executed deleted the object before its row was inserted.
    guard state.pointee.flags.contains(.inserted) else { return }
    let key = state.pointee.primaryKey
    state.pointee.dirty = late
    let modified = state.pointee.extras == nil ? 0 : didWriteLists(model, keeping: late)
    state.pointee.dirty |= modified
    state.pointee.extras?.formerRow = nil
    state.pointee.forgetLeaving()
    // If code deleted the object while its row was written, the next save deletes the row.
    let kept = state.pointee.flags.intersection([.touched, .deleted])
    // The program requested the identifier while the row was written.
    if let token = state.pointee.token, token.row == nil {
      token.resolve(to: key, of: map.store.storeEntity(of: map.entity), isAlias: upserts.contains(model))
    }
    if upserts.hasOtherInstance(of: model, in: map) {
      // The context already has an object of this row, so this object becomes a second object of the row.
      model._$becomeSecond(key, in: map, flags: kept)
    } else {
      if !upserts.contains(model) { map.letGoOfFormer(at: key, for: model) }
      model._$register(key, in: map, flags: kept)
    }
    if late | modified != 0 { model._$becomeChanged() }
  }

  /// - Parameter late: The properties that were changed since they were written.
  /// - Returns: The mask of the lists that are being changed in place, and so remain pending.
  private func didWriteLists<T: PersistentModel>(_ model: T, keeping late: UInt64) -> UInt64 {
    model._$applyLinks()
    let modified = model._$postponeModifiedLists()
    guard late | modified != 0 else {
      model._$state.pointee.forgetListChanges()
      return 0
    }
    let former = model._$state.pointee.extras?.lists ?? []
    // Released after the mutation: deinitialisers of removed objects may read the lists.
    defer { withExtendedLifetime(former) {} }
    model._$state.pointee.extras?.lists = former.filter { (late | modified) & PropertyMask.bit($0.position) != 0 }
    model._$state.pointee.identityMap?.ownContext?.lateChanges?.forgetWrittenMembers(of: model)
    return modified
  }

  /// Marks an object and the other objects of its row as deleted. The objects keep their last values and identifiers.
  private func didDelete<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    // If a row has several deleted objects, the first of them has marked the others.
    let isKnown = model._$state.pointee.flags.contains(.gone)
    letGo(of: model, in: map)
    guard !isKnown else { return }
    let others = map.otherObjects(ofRowOf: model, key: model._$state.pointee.primaryKey)
    for other in others { didDeleteRow(of: other, in: map) }
  }

  /// Marks a further object of a deleted row as deleted.
  private func didDeleteRow<T: PersistentModel>(of model: T, in map: IdentityMap) {
    guard !model._$state.pointee.flags.contains(.gone) else { return }
    let own = model._$state.pointee.identityMap ?? map
    map.context?.didTouch(model, in: own)
    letGo(of: model, in: own)
  }

  /// Marks an object as deleted by this context. The object does not get the flag `lost`, no changes stay pending, and
  /// observers are not notified.
  private func letGo<T: PersistentModel>(of model: T, in map: IdentityMap) {
    model._$becomeGone(in: map)
    model._$state.pointee.becomeDeleted()
  }
}

extension ModelState {
  /// Sets the flags of an object whose row this context has deleted.
  fileprivate mutating func becomeDeleted() {
    dirty = 0
    flags = flags.subtracting([.deleted, .changed, .lost]).union(.gone)
  }
}

extension EntityChanges {
  /// Removes saved changes from the pending ones. Changes that the save's code made stay: their flags are still set.
  ///
  /// - Returns: False if the lists had changed since the save collected them.
  func clearPending(savedBy changes: SavedChanges.SavedEntity) -> Bool {
    let hasBatchDeleted = isRoot && !batchDeletedKeys.isEmpty
    let batchDeletedSince = hasBatchDeleted ? batchDeletedKeys.subtracting(changes.batchDeletedKeys) : []
    let isExpected =
      takenBackCount == 0 && filterCount == changes.filterCount && changes.lateChanges == nil
      && batchDeletedSince.isEmpty
      && inserted.count == changes.inserted.count
      && changed.count == changes.changed.count
      && deleted.count == changes.deleted.count
    guard !isExpected else {
      clearPending()
      return true
    }
    takenBackCount += 1
    // Retained until the lists are replaced, because deinitialisers of reverted objects may change the lists.
    let former = (inserted, changed, deleted)
    let (newInserted, newChanged, newDeleted) = (livingInserted, livingChanged, livingDeleted)
    let newOriginals = originals(of: newChanged + newDeleted, besides: changes)
    clearPending()
    (inserted, changed, deleted, originals) = (newInserted, newChanged, newDeleted, newOriginals)
    if isRoot { batchDeletedKeys = batchDeletedSince }
    noteUnsaved()
    withExtendedLifetime(former) {}
    return false
  }

  /// The original values of objects that stay pending. For an object that was saved, these are the saved values.
  private func originals(
    of waiting: ContiguousArray<AnyObject>, besides changes: SavedChanges.SavedEntity
  ) -> OriginalValues {
    let saved = Set(changes.changed.map { ObjectIdentifier($0) })
    let unsaved = waiting.filter { !saved.contains(ObjectIdentifier($0)) }
    var result = originals
    result.keepOnly(Set(unsaved.map { ObjectIdentifier($0) }), keys: map.keys(of: ContiguousArray(unsaved)))
    changes.noteLateOriginals(in: &result)
    return result
  }

  func clearPending() {
    inserted.removeAll()
    unsaved.removeAll()
    changed.removeAll()
    deleted.removeAll()
    if !originals.isEmpty { originals = OriginalValues() }
    takenBackCount = 0
    // The root of a hierarchy has the keys of all entities of the hierarchy.
    if isRoot { batchDeletedKeys.removeAll() }
  }
}

extension ModelContext {
  func countPending() {
    pending = PendingCounts()
    for changes in entityChanges.values {
      pending.inserted += changes.livingInserted.count
      pending.changed += changes.livingChanged.count
      pending.deleted += changes.livingDeleted.count
      if changes.isRoot { pending.batchDeletedKeys += changes.batchDeletedKeys.count }
    }
  }
}

/// The identifiers that the program requested for new objects. A save binds them to the new rows.
///
/// This happens before the commit. Otherwise another thread could read the row first, and create an identifier with
/// another hash.
final class TokenBindings {
  @exclusivity(unchecked) private var waiting: [(object: AnyObject, token: IdentifierToken, map: IdentityMap)] = []
  /// The bound identifiers, each with its store object, because a copied file has the store identifier of its original.
  private var bound: [(token: IdentifierToken, store: StoreCoordinator)] = []

  /// Adds a new object with an identifier.
  func note(_ object: AnyObject, _ token: IdentifierToken, in map: IdentityMap) {
    waiting.append((object, token, map))
  }

  /// Binds the identifiers of a store's objects, after all of its rows are written.
  ///
  /// - Parameter isAlias: Returns true if the row may already have another identifier, for example after an upsert.
  func bind(in store: StoreCoordinator, isAlias: (AnyObject) -> Bool) {
    for (object, token, map) in waiting where map.store === store {
      let entity = store.storeEntity(of: map.entity)
      guard token.resolve(to: map.key(of: object), of: entity, isAlias: isAlias(object)) else { continue }
      bound.append((token, store))
    }
  }

  /// Unbinds the identifiers of stores that have not committed.
  func undo() {
    for (token, _) in bound where token.row != nil { token.unresolve() }
    waiting.removeAll()
    bound.removeAll()
  }

  /// Makes the bindings of a store final.
  func commit(_ store: StoreCoordinator) {
    guard !waiting.isEmpty else { return }
    waiting.removeAll { $0.map.store === store }
    bound.removeAll { $0.store === store }
  }
}

extension SavedChanges {
  /// Reserves keys for new objects. Keys that occur in identifiers known to the program are skipped.
  func reserveKeys(_ count: Int, for map: IdentityMap, in transaction: any StoreTransaction) throws -> Int64 {
    let first = try transaction.reserveKeys(count, for: map.entity)
    let skipped = map.store.storeEntity(of: map.entity).knownKeys.keysToSkip(from: first)
    guard skipped > 0 else { return first }
    // `skipped` includes the keys that were just reserved.
    let more = max(0, skipped - Int64(count))
    if more > 0 { _ = try transaction.reserveKeys(Int(more), for: map.entity) }
    return try transaction.reserveKeys(count, for: map.entity)
  }

  /// Takes keys for new objects from an engine whose keys do not rise. Keys that occur in identifiers known to the
  /// program are skipped.
  func takeKeys(
    _ count: Int, for map: IdentityMap, in transaction: any StoreTransaction
  ) throws -> [ClosedRange<Int64>] {
    let known = map.store.storeEntity(of: map.entity).knownKeys
    var ranges: [ClosedRange<Int64>] = []
    var missing = count
    func take(_ new: [ClosedRange<Int64>]) {
      ranges += new
      missing -= new.reduce(0) { $0 + $1.count }
    }
    take(known.unknown(in: try engineKeys(count, for: map, in: transaction)))
    if missing > 0 { take(known.unknown(in: try engineKeys(missing + known.claimCount, for: map, in: transaction))) }
    // If the engine returned too few new keys, known keys are used. A row may then have two unequal identifiers.
    if missing > 0 { take(try engineKeys(missing, for: map, in: transaction)) }
    return ranges
  }

  private func engineKeys(
    _ count: Int, for map: IdentityMap, in transaction: any StoreTransaction
  ) throws -> [ClosedRange<Int64>] {
    let ranges = try map.store.engine.takeKeys(count, for: map.entity, in: transaction)
    let areValid = ranges.allSatisfy { $0.lowerBound > 0 && $0.upperBound <= EngineKeys.greatest }
    guard areValid, ranges.reduce(0, { $0 + $1.count }) >= count else {
      throw SwiftDataError(
        .storeFull,
        "The store at \(map.store.engine.location) has no \(count) primary keys left for \(map.entity.name).")
    }
    return ranges
  }
}

extension SavedChanges {
  /// Whether the save changes or deletes rows of a store. Other contexts cannot have read inserted rows.
  func changesRows(of store: StoreCoordinator) -> Bool {
    !upserts.isEmpty
      || entities.contains { $0.map.store === store && $0.changesRows }
  }

  func deletesRows(of store: StoreCoordinator) -> Bool {
    entities.contains { $0.map.store === store && $0.deletesRows }
  }

  /// Notifies the other contexts of a store about a commit.
  func notify(_ store: StoreCoordinator, commit number: Int64?, from context: ModelContext) {
    guard let number, store.subscribers.areSeveral else { return }
    store.notify(news(of: store), commit: number, from: context.inbox)
  }

  /// The changes for other contexts, without inserted rows: other contexts have no objects of them, and the owners of
  /// inserted rows are among the changed rows.
  func news(of store: StoreCoordinator) -> RemoteChanges {
    var news = RemoteChanges()
    for changes in entities where changes.map.store === store {
      news.add(rows(of: changes), of: changes.map.modelType)
      if !changes.batchDeletedKeys.isEmpty { noteOwners(of: changes.map.entity, in: store, &news) }
    }
    for rows in affectedRows(of: store) {
      news.add(RemoteChanges.Rows(rows), of: rows.entity.modelType)
      if !rows.deleted.isEmpty { noteOwners(of: rows.entity, in: store, &news) }
    }
    return news
  }

  private func rows(of changes: SavedEntity) -> RemoteChanges.Rows {
    let count = changes.changed.count + changes.deleted.count + changes.batchDeletedKeys.count
    guard count <= RemoteChanges.Rows.limit else { return RemoteChanges.Rows(meansAll: true) }
    var rows = RemoteChanges.Rows()
    rows.changed.formUnion(changes.map.keys(of: changes.changed))
    if !upserts.isEmpty { rows.changed.formUnion(changes.map.keys(of: changes.inserted.filter(upserts.contains))) }
    rows.deleted.formUnion(changes.deletedKeys)
    rows.deleted.formUnion(changes.batchDeletedKeys)
    return rows
  }

  /// The relationships of batch-deleted rows are unknown, so all rows that may be their owners are reported.
  private func noteOwners(of entity: EntityLayout, in store: StoreCoordinator, _ news: inout RemoteChanges) {
    let names = entity.destinationNames
    for layout in store.layouts where layout.relationships.contains(where: { names.contains($0.destination) }) {
      news.add(RemoteChanges.Rows(meansAll: true), of: layout.modelType)
    }
  }
}

extension SavedChanges {
  /// The changes of a commit, for live queries. Called while the objects still know which of their properties changed.
  func committedChanges(of store: StoreCoordinator) -> CommittedChanges {
    var committed = CommittedChanges()
    for changes in entities where changes.map.store === store {
      committed.add(committedRows(of: changes, as: changes.map.modelType), of: ObjectIdentifier(changes.map.modelType))
      // In a hierarchy, the batch-deleted rows may belong to any class.
      if !changes.batchDeletedKeys.isEmpty, changes.map.entity.isPolymorphic {
        committed.addUnspecified(changes.map.entity.familyTypes)
      }
    }
    for rows in affectedRows(of: store) {
      let types = rows.entity.familyTypes
      committed.add(
        changed: rows.changed, deleted: rows.deleted, of: types,
        keepsKeys: types.contains(where: store.watchers.wantsKeys))
    }
    return committed
  }

  private func committedRows<T: PersistentModel>(of changes: SavedEntity, as type: T.Type) -> CommittedChanges.Rows {
    let (map, deletedKeys) = (changes.map, changes.batchDeletedKeys)
    let replaced: ContiguousArray<AnyObject> = upserts.isEmpty ? [] : changes.inserted.filter(upserts.contains)
    let new = replaced.isEmpty ? changes.inserted : changes.inserted.filter { !upserts.contains($0) }
    var rows = CommittedChanges.Rows(
      insertions: !new.isEmpty, deletions: !changes.deleted.isEmpty || !deletedKeys.isEmpty,
      mask: changes.changed.reduce(replaced.isEmpty ? 0 : PropertyMask.all) {
        $0 | unsafeDowncast($1, to: T.self)._$state.pointee.dirty
      })
    guard map.store.watchers.wantsKeys(of: ObjectIdentifier(type)) else { return rows }
    rows.keep(
      inserted: map.keys(of: new), changed: map.keys(of: changes.changed) + map.keys(of: replaced),
      deleted: changes.deletedKeys + deletedKeys)
    return rows
  }
}

extension RemoteChanges.Rows {
  init(_ affected: AffectedRows) { self.init(changed: affected.changed, deleted: affected.deleted) }
}

/// A row that a commit with an unknown outcome may have inserted, with its new object.
struct UncertainRow {
  let object: any PersistentModel
  let map: IdentityMap
  let key: Int64
}

extension SavedChanges {
  /// Records the rows of new objects after a commit with an unknown outcome, before the objects lose their keys.
  ///
  /// Objects written to existing rows are left out: the next save finds these rows again by their unique values.
  func noteUncertainRows(of store: StoreCoordinator, in context: ModelContext) {
    for changes in entities where changes.map.store === store {
      for object in changes.inserted where !upserts.contains(object) {
        let model = changes.map.entity.model(object)
        let key = model._$state.pointee.primaryKey
        guard key != 0, model._$state.pointee.flags.contains(.inserted) else { continue }
        context.uncertainRows.append(UncertainRow(object: model, map: changes.map, key: key))
      }
    }
  }
}

extension TransactionSnapshot {
  /// After a commit with an unknown outcome, the rows of objects whose insertion was already pending when the
  /// transaction began. Read before the undo of the transaction, because the undo removes the keys of the objects.
  var uncertainRows: [UncertainRow] {
    guard let store = uncertainStore else { return [] }
    return snapshots.compactMap { snapshot in
      let key = snapshot.object._$state.pointee.primaryKey
      guard snapshot.changes.map.store === store, snapshot.flags.contains(.inserted), key != 0 else { return nil }
      return UncertainRow(object: snapshot.object, map: snapshot.changes.map, key: key)
    }
  }
}

extension ModelContext {
  /// Reads which uncertain rows exist. If a row exists, its object is marked as changed instead of inserted, and the
  /// next save writes all its properties. The other objects stay marked as inserted.
  ///
  /// Called outside of a `transaction`, before any read or save that could find such a row.
  /// - Throws: The error of a store. In that case all rows stay uncertain.
  func settleUncertainRows() throws {
    guard !uncertainRows.isEmpty else { return }
    var found: [ObjectIdentifier: Set<Int64>] = [:]
    for rows in Dictionary(grouping: uncertainRows, by: { ObjectIdentifier($0.map.rootMap) }).values {
      let root = rows[0].map.rootMap
      found[ObjectIdentifier(root)] = try existingKeys(among: rows.map(\.key).sorted(), in: root)
    }
    let rows = uncertainRows
    uncertainRows = []
    for row in rows where found[ObjectIdentifier(row.map.rootMap)]?.contains(row.key) == true { adopt(row) }
  }

  /// Reads in a transaction, because a running read of this thread may have a snapshot that is older than the commit.
  private func existingKeys(among keys: [Int64], in map: IdentityMap) throws -> Set<Int64> {
    let transaction = try map.store.beginTransaction()
    defer { transaction.rollBack() }
    let request = FetchRequest(entity: map.entity, selection: .keys(keys))
    return Set(try map.store.engine.keys(request, in: transaction))
  }

  private func adopt(_ row: UncertainRow) {
    func adopt<T: PersistentModel>(_ model: T) { self.adopt(model, key: row.key, in: row.map) }
    adopt(row.object)
  }

  /// Registers a new object for the row that the uncertain commit inserted, and marks all properties as changed.
  private func adopt<T: PersistentModel>(_ model: T, key: Int64, in map: IdentityMap) {
    let state = model._$state
    guard state.pointee.flags.contains(.inserted), state.pointee.identityMap === map else { return }
    model._$applyLinks()
    if let token = state.pointee.token {
      map.changes?.forget(token)
      // Another context may have created an identifier for this row. If the store's keys do not rise, this is unknown.
      token.resolve(to: key, of: map.store.storeEntity(of: map.entity), isAlias: !map.store.keysRise)
    }
    pending.inserted -= 1
    state.pointee.extras?.formerRow = nil
    state.pointee.forgetLeaving()
    if map.object(for: key) == nil {
      model._$register(key, in: map, flags: [])
    } else {
      // Meanwhile a reference to the row was read, which created another object for it.
      model._$becomeSecond(key, in: map, flags: [])
    }
    // Called after the flags are removed, because the lists are filtered by the flags.
    map.changes?.noteTakenBack()
    state.pointee.dirty = map.entity.properties.reduce(0) { $0 | $1.bit }
    // No autosave is needed: the object was pending before, and the context may be in its deinit.
    state.pointee.flags.insert(.changed)
    map.changes?.changed.append(model)
    pending.changed += 1
    noteWholeLists(of: model, in: map)
  }

  /// Records every list member as added, in a new order. Junction rows that the store already contains stay.
  private func noteWholeLists<T: PersistentModel>(of model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships where relationship.isToMany {
      let members = model._$edit(.read, at: relationship.position).objects
      guard !members.isEmpty else { continue }
      let list = model._$state.pointee.listChanges(at: relationship.position)
      if case .links = relationship.storage {
        // The members are added in reverse: if they were recorded as appended in order, no order would be written.
        for member in members.reversed() { list.noteAddition(of: member) }
      }
      if relationship.isOrdered { list.noteMove(from: 0) }
    }
  }

  /// Marks the uncertain row of an object as deleted, when the insertion of the object is reverted.
  func deleteUncertainRow(of model: some PersistentModel) {
    guard let index = uncertainRows.firstIndex(where: { $0.object === model }) else { return }
    let row = uncertainRows.remove(at: index)
    if let changes = row.map.changes { markDeleted(rows: [row.key], of: changes) }
  }
}

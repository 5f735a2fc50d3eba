import PersistenceRuntime

extension SavedChanges {
  /// Makes the objects of a store what the store now says they are.
  func didCommit(_ store: StoreCoordinator, in context: ModelContext) {
    bindings.commit(store)
    relationships[ObjectIdentifier(store)]?.didCommit(log: context.transactionSnapshot)
    var isExpected = true
    for changes in entities where changes.map.store === store {
      didCommit(changes, as: changes.map.entity.modelType)
      if !changes.source.clearPending(savedBy: changes) { isExpected = false }
      context.pending.inserted -= changes.inserted.count
      context.pending.changed -= changes.changed.count
      context.pending.deleted -= changes.deleted.count
      context.pending.batchDeletedKeys -= changes.batchDeletedKeys.count
    }
    if !isExpected { context.countPending() }
    upserts.didCommit(store)
    conflicts.didCommit(store, in: context)
    for changes in entities where changes.map.store === store && !changes.map.seconds.isEmpty {
      context.refreshRows(of: changes.changed, in: changes.map)
    }
    takeInAffected(by: store, in: context)
  }

  private func didCommit<T: PersistentModel>(_ changes: SavedEntity, as type: T.Type) {
    let (map, lateChanges) = (changes.map, changes.lateChanges)
    for object in changes.inserted {
      didInsert(unsafeDowncast(object, to: T.self), in: map, keeping: lateChanges?.mask(of: object) ?? 0)
    }
    for object in changes.changed {
      let state = unsafeDowncast(object, to: T.self)._$state
      let late = lateChanges?.mask(of: object) ?? 0
      state.pointee.dirty = late
      if late == 0 { state.pointee.flags.remove(.changed) }
      if state.pointee.extras != nil { didWriteLists(unsafeDowncast(object, to: T.self), keeping: late) }
    }
    for object in changes.deleted { didDelete(unsafeDowncast(object, to: T.self), in: map) }
    // Objects that were made of such rows since, by a fetch that ignores what is pending.
    for key in changes.batchDeletedKeys {
      if let object = map.anyObject(ofRow: key) { didBatchDelete(unsafeDowncast(object, to: T.self), in: map) }
    }
  }

  private func didBatchDelete<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    let own = model._$state.pointee.identityMap ?? map
    // The row was deleted and not the object: a transaction that is undone has to know of it, too.
    map.context?.didTouch(model, in: own)
    didDelete(model, in: own)
  }

  /// - Parameter late: The properties that were changed since they were written.
  private func didInsert<T: PersistentModel>(_ model: T, in map: IdentityMap, keeping late: UInt64) {
    let state = model._$state
    // Code deleted it before there was a row.
    guard state.pointee.flags.contains(.inserted) else { return }
    let key = state.pointee.primaryKey
    state.pointee.dirty = late
    if state.pointee.extras != nil { didWriteLists(model, keeping: late) }
    state.pointee.extras?.formerRow = nil
    state.pointee.forgetLeaving()
    // What code deleted while its row was written waits to be deleted.
    let kept = state.pointee.flags.intersection([.touched, .deleted])
    // One that was asked for while the row was written.
    if let token = state.pointee.token, token.row == nil {
      token.resolve(to: key, of: map.store.storeEntity(of: map.entity), isAlias: upserts.contains(model))
    }
    if upserts.hasOtherInstance(of: model, in: map) {
      // The context has an object of this row: this one is another reference to it.
      model._$becomeSecond(key, in: map, flags: kept)
    } else {
      if !upserts.contains(model) { map.letGoOfFormer(at: key, for: model) }
      model._$register(key, in: map, flags: kept)
    }
    if late != 0 { model._$becomeChanged() }
  }

  /// - Parameter late: The properties that were changed since they were written.
  private func didWriteLists<T: PersistentModel>(_ model: T, keeping late: UInt64) {
    model._$applyLinks()
    guard late != 0 else { return model._$state.pointee.forgetListChanges() }
    model._$state.pointee.extras?.lists.removeAll { late & PropertyMask.bit($0.position) == 0 }
    model.modelContext?.lateChanges?.forgetWrittenMembers(of: model)
  }

  /// A deleted object keeps its last values and its identity, but stands for no row any more. Nor do others of the row.
  private func didDelete<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    // Of several that are deleted, the first one has told the others.
    let isKnown = model._$state.pointee.flags.contains(.gone)
    letGo(of: model, in: map)
    guard !isKnown else { return }
    let others = map.otherObjects(ofRowOf: model, key: model._$state.pointee.primaryKey)
    for other in others { didDeleteRow(of: other, in: map) }
  }

  /// Another object of a row that is deleted.
  private func didDeleteRow<T: PersistentModel>(of model: T, in map: IdentityMap) {
    guard !model._$state.pointee.flags.contains(.gone) else { return }
    let own = model._$state.pointee.identityMap ?? map
    map.context?.didTouch(model, in: own)
    letGo(of: model, in: own)
  }

  /// Unlike an object whose row others deleted, this one is not lost, and nothing of it waits any more. Its observers
  /// are not told: the deletion is the context's own.
  private func letGo<T: PersistentModel>(of model: T, in map: IdentityMap) {
    let state = model._$state
    state.pointee.dirty = 0
    state.pointee.flags.subtract([.deleted, .changed, .lost])
    model._$becomeGone(in: map)
  }
}

extension EntityChanges {
  /// Empties the lists of what was saved. What code that the save ran added to them stays, which is all that still has
  /// its flags; false when the lists were not as the save had found them.
  func clearPending(savedBy changes: SavedChanges.SavedEntity) -> Bool {
    let batchDeletedSince =
      isRoot && batchDeletedKeys.count != changes.batchDeletedKeys.count
      ? batchDeletedKeys.subtracting(changes.batchDeletedKeys) : []
    let isExpected =
      takenBackCount == 0 && changes.lateChanges == nil && batchDeletedSince.isEmpty
      && inserted.count == changes.inserted.count
      && changed.count == changes.changed.count
      && deleted.count == changes.deleted.count
    guard !isExpected else {
      clearPending()
      return true
    }
    takenBackCount += 1
    // What was taken back may end with the lists, and run code that changes them.
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

  /// What objects had been that still wait. Of those that the save wrote, their rows are what they were then.
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
    // The entities of a hierarchy have one set, the root's.
    if isRoot { batchDeletedKeys.removeAll() }
  }
}

extension ModelContext {
  /// Counts anew what waits for the next save.
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

import PersistenceRuntime

extension SavedChanges {
  /// Updates the objects and the lists of changes after the commit of a store.
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
      if state.pointee.extras != nil {
        let modified = didWriteLists(unsafeDowncast(object, to: T.self), keeping: late)
        state.pointee.dirty |= modified
        if modified != 0 { state.pointee.flags.insert(.changed) }
      }
    }
    for object in changes.deleted { didDelete(unsafeDowncast(object, to: T.self), in: map) }
    // A fetch without pending changes may have created objects of batch-deleted rows since.
    for key in changes.batchDeletedKeys {
      if let object = map.anyObject(ofRow: key) { didBatchDelete(unsafeDowncast(object, to: T.self), in: map) }
    }
  }

  private func didBatchDelete<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    let own = model._$state.pointee.identityMap ?? map
    // Only the row was deleted. An undone transaction must restore the object too.
    map.context?.didTouch(model, in: own)
    didDelete(model, in: own)
  }

  /// - Parameter late: The properties that were changed since they were written.
  private func didInsert<T: PersistentModel>(_ model: T, in map: IdentityMap, keeping late: UInt64) {
    let state = model._$state
    // Code deleted the object before it got a row.
    guard state.pointee.flags.contains(.inserted) else { return }
    let key = state.pointee.primaryKey
    state.pointee.dirty = late
    let modified = state.pointee.extras == nil ? 0 : didWriteLists(model, keeping: late)
    state.pointee.dirty |= modified
    state.pointee.extras?.formerRow = nil
    state.pointee.forgetLeaving()
    // An object that code deleted while its row was written waits for its deletion.
    let kept = state.pointee.flags.intersection([.touched, .deleted])
    // The identifier was requested while the row was written.
    if let token = state.pointee.token, token.row == nil {
      token.resolve(to: key, of: map.store.storeEntity(of: map.entity), isAlias: upserts.contains(model))
    }
    if upserts.hasOtherInstance(of: model, in: map) {
      // The context has another object of this row. This one becomes a second object.
      model._$becomeSecond(key, in: map, flags: kept)
    } else {
      if !upserts.contains(model) { map.letGoOfFormer(at: key, for: model) }
      model._$register(key, in: map, flags: kept)
    }
    if late | modified != 0 { model._$becomeChanged() }
  }

  /// - Parameter late: The properties that were changed since they were written.
  /// - Returns: The mask of the lists that are being changed in place, and so stay pending.
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

  /// Marks an object and the other objects of its row as deleted. They keep their last values and identifiers.
  private func didDelete<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    // The first of several deleted objects has marked the others.
    let isKnown = model._$state.pointee.flags.contains(.gone)
    letGo(of: model, in: map)
    guard !isKnown else { return }
    let others = map.otherObjects(ofRowOf: model, key: model._$state.pointee.primaryKey)
    for other in others { didDeleteRow(of: other, in: map) }
  }

  /// Marks another object of a deleted row.
  private func didDeleteRow<T: PersistentModel>(of model: T, in map: IdentityMap) {
    guard !model._$state.pointee.flags.contains(.gone) else { return }
    let own = model._$state.pointee.identityMap ?? map
    map.context?.didTouch(model, in: own)
    letGo(of: model, in: own)
  }

  /// Marks an object as deleted by this context: it is not lost, no changes stay pending, and observers are not
  /// notified.
  private func letGo<T: PersistentModel>(of model: T, in map: IdentityMap) {
    let state = model._$state
    state.pointee.dirty = 0
    state.pointee.flags.subtract([.deleted, .changed, .lost])
    model._$becomeGone(in: map)
  }
}

extension EntityChanges {
  /// Removes saved changes from the lists. Changes by code that the save executed stay: they still have their flags.
  ///
  /// - Returns: False if the lists had changed since the save collected them.
  func clearPending(savedBy changes: SavedChanges.SavedEntity) -> Bool {
    let batchDeletedSince =
      isRoot && batchDeletedKeys.count != changes.batchDeletedKeys.count
      ? batchDeletedKeys.subtracting(changes.batchDeletedKeys) : []
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
    // Deinitialisers of taken-back objects may change the lists.
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

  /// The original values of objects that stay pending. For objects that the save wrote, these are the written values.
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
    // The root of a hierarchy has the keys of all its entities.
    if isRoot { batchDeletedKeys.removeAll() }
  }
}

extension ModelContext {
  /// Counts the pending changes again.
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

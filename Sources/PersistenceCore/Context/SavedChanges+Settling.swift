extension SavedChanges {
  /// Makes the objects of a store what the store now says they are.
  func settle(_ store: StoreCoordinator, in context: ModelContext) {
    relationships[ObjectIdentifier(store)]?.settle(log: context.transactionLog)
    for changes in entities where changes.map.store === store {
      settle(changes, as: changes.map.entity.modelType)
      changes.map.clearPending()
      context.pending.inserted -= changes.inserted.count
      context.pending.changed -= changes.changed.count
      context.pending.deleted -= changes.deleted.count
      context.pending.swept -= changes.swept.count
    }
    upserts.settle(store)
    conflicts.settle(store, in: context)
    takeInAffected(by: store, in: context)
  }

  private func settle<T: PersistentModel>(_ changes: EntityChanges, as type: T.Type) {
    let map = changes.map
    for object in changes.inserted { settleInserted(unsafeDowncast(object, to: T.self), in: map) }
    for object in changes.changed {
      let state = unsafeDowncast(object, to: T.self)._$state
      state.pointee.dirty = 0
      state.pointee.flags.remove(.changed)
      if state.pointee.extras != nil { settleLists(unsafeDowncast(object, to: T.self)) }
    }
    for object in changes.deleted { settleDeleted(unsafeDowncast(object, to: T.self), in: map) }
    // Objects that were made of such rows since, by a fetch that ignores what is pending.
    for key in changes.swept {
      if let object = map.object(for: key) { settleDeleted(unsafeDowncast(object, to: T.self), in: map) }
    }
  }

  private func settleInserted<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    let state = model._$state
    let key = state.pointee.primaryKey
    state.pointee.dirty = 0
    if state.pointee.extras != nil { settleLists(model) }
    state.pointee.extras?.formerRow = nil
    let kept = state.pointee.flags.intersection(.touched)
    if let token = state.pointee.token {
      token.resolve(to: key, of: map.store.storeEntity(of: map.entity), isAlias: upserts.contains(model))
    }
    if upserts.hasOtherInstance(of: model, in: map) {
      // The context has an object of this row: this one is another reference to it.
      state.pointee.flags = kept
      return
    }
    model._$register(key, in: map, flags: kept)
  }

  private func settleLists<T: PersistentModel>(_ model: T) {
    model._$settleRelationships()
    model._$state.pointee.forgetListChanges()
  }

  /// A deleted object keeps its last values and its identity, but stands for no row any more.
  private func settleDeleted<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    let state = model._$state
    if state.pointee.isRegistered { map.depart(model, key: state.pointee.primaryKey) }
    state.pointee.dirty = 0
    state.pointee.flags.subtract([.deleted, .changed, .lost])
    state.pointee.flags.insert(.gone)
  }
}

extension IdentityMap {
  func clearPending() {
    inserted.removeAll()
    changed.removeAll()
    deleted.removeAll()
    if !originals.isEmpty { originals = OriginalValues() }
    hasTakenBack = false
    swept.removeAll()
  }
}

import PersistenceRuntime

extension ModelContext {
  /// Discards all pending changes. Apple's.
  ///
  /// New models leave the context. Changed and deleted models read their rows again, and observers are notified. If a
  /// row cannot be read, the error is logged, and the model reads the row on first access. If code that a running save
  /// executes calls this method, it only logs the call. Call it only on the thread or actor of the context.
  public func rollback() {
    guard autosave.phase != .writing else {
      return logger.error(
        "rollback() was called by code that a save of the same context runs while it writes; it did nothing")
    }
    // The undo of a transaction is not counted, because it restores the changes from before the transaction.
    if !isUndoing { rollbackCount += 1 }
    undoRecorder?.forgetAll()
    forgetRefusals()
    exchange(\.orphans, for: OrphanList())
    exchange(\.foreignReferences, for: [])
    exchange(\.uncertainRows, for: [])
    exchange(\.uncomparedLists, for: [])
    exchange(\.cascadedRows, for: [])
    cascadeReads = nil
    referrers.forget()
    forgetFailedReads()
    // All lists of pending changes are cleared before the first value is restored, because observers may then change
    // models again. Deinitialisers may change models too, so the former lists retain all objects until the end.
    let former = orderedChanges.map { ($0.inserted, $0.changed, $0.deleted) }
    let lists = orderedChanges.map { changes in
      (changes: changes, inserted: changes.livingInserted, others: changes.livingChanged + changes.livingDeleted)
    }
    for (changes, inserted, others) in lists {
      forget(inserted + others, as: changes.map.modelType)
      changes.clearPending()
    }
    // Relationships that were read after a batch deletion do not contain its rows, so everything is read again.
    if pending.batchDeletedKeys > 0 { inbox.putBack(.unknown) }
    pending = PendingCounts()
    for (changes, inserted, others) in lists {
      discard(inserted, as: changes.map.modelType)
      revert(others, in: changes.map, as: changes.map.modelType)
    }
    noteTakenBack()
    watch?.noteEverything()
    withExtendedLifetime(former) {}
  }

  private func forget<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, as type: T.Type) {
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      let state = model._$state
      // A new object has no row to read its lists from again, so pending removals from its lists are applied now.
      if state.pointee.flags.isSuperset(of: [.inserted, .stale]) { model._$flushStale() }
      state.pointee.dirty = 0
      state.pointee.forgetListChanges()
      state.pointee.flags.subtract([.inserted, .changed, .deleted])
    }
  }

  private func discard<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, as type: T.Type) {
    for object in objects {
      let state = unsafeDowncast(object, to: T.self)._$state
      state.pointee.noteLeaving()
      state.pointee.identityMap = nil
    }
  }

  /// Restores the values of changed and deleted objects from their rows.
  private func revert<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type) {
    for object in objects {
      map.store.restore(unsafeDowncast(object, to: T.self), in: map)
    }
  }
}

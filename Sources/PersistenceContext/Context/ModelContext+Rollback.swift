import PersistenceRuntime

extension ModelContext {
  /// Discards what was not saved: new models leave the context, deleted ones stay, and changed ones read their rows
  /// again. Observers hear of the values that change back.
  ///
  /// A rollback cannot throw: models that cannot be read now forget the values that they have, and read them when they are
  /// next asked for; the log says why. Nor can it undo a save that is being written: code that such a save runs rolls
  /// nothing back, and the log says so.
  public func rollback() {
    guard autosave.phase != .writing else {
      return logger.error(
        "rollback() was called by code that a save of the same context runs while it writes; it did nothing")
    }
    undoRecorder?.forgetAll()
    forgetRefusals()
    exchange(\.orphans, for: OrphanList())
    exchange(\.foreignReferences, for: [])
    exchange(\.uncomparedLists, for: [])
    referrers.forget()
    forgetFailedReads()
    // Everything is taken out of the lists before the first value changes back: observers may change models again, and
    // those changes are new ones.
    // What was taken back may end with the lists, and run such code too.
    let former = orderedChanges.map { ($0.inserted, $0.changed, $0.deleted) }
    let lists = orderedChanges.map { changes in
      (changes: changes, inserted: changes.livingInserted, others: changes.livingChanged + changes.livingDeleted)
    }
    for (changes, inserted, others) in lists {
      forget(inserted + others, as: changes.map.modelType)
      changes.clearPending()
    }
    pending = PendingCounts()
    for (changes, inserted, others) in lists {
      discard(inserted, as: changes.map.modelType)
      revert(others, in: changes.map, as: changes.map.modelType)
    }
    noteTakenBack()
    withExtendedLifetime(former) {}
  }

  private func forget<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, as type: T.Type) {
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      let state = model._$state
      // A new object reads no row that would say what has gone.
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

  /// Reads the rows of changed and deleted objects again.
  private func revert<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type) {
    for object in objects {
      map.store.restore(unsafeDowncast(object, to: T.self), in: map)
    }
  }
}

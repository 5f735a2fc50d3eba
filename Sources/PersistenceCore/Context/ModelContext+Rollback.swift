extension ModelContext {
  /// Discards what was not saved: new models leave the context, deleted ones stay, and changed ones read their rows
  /// again. Observers hear of the values that change back.
  ///
  /// If the store cannot be read, the values stay as they are until the next fetch of the model, and the failure is
  /// logged: a rollback cannot throw.
  public func rollback() {
    refusals.removeAll()
    for map in identityMaps.values {
      let lists = (map.livingInserted, map.livingChanged, map.livingDeleted)
      map.clearPending()
      discard(lists.0, as: map.entity.modelType)
      revert(lists.1 + lists.2, in: map, as: map.entity.modelType)
    }
    pending = PendingCounts()
  }

  private func discard<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, as type: T.Type) {
    for object in objects { takeBackInsertion(of: unsafeDowncast(object, to: T.self)) }
  }

  /// Reads the rows of changed and deleted objects again.
  func revert<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type) {
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      model._$state.pointee.dirty = 0
      model._$state.pointee.flags.subtract([.changed, .deleted])
      map.store.fulfill(model, in: map)
    }
  }
}

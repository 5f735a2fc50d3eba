// The entries of the lists that are still pending.

import PersistenceRuntime

extension EntityChanges {
  var hasPending: Bool { !inserted.isEmpty || !changed.isEmpty || !deleted.isEmpty || !batchDeletedKeys.isEmpty }
  /// Whether no objects are pending. Keys of batch-deleted rows may be.
  var hasOnlyBatchDeletions: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  package var livingInserted: ContiguousArray<AnyObject> { living(inserted, with: .inserted) }
  package var livingChanged: ContiguousArray<AnyObject> { living(changed, with: .changed) }
  package var livingDeleted: ContiguousArray<AnyObject> { living(deleted, with: .deleted) }

  /// Notes that an object was taken back.
  ///
  /// The lists keep such objects until they are filtered. They are filtered when half of the entries are of that kind,
  /// so that a context that never saves does not keep every object.
  func noteTakenBack() {
    takenBackCount += 1
    guard takenBackCount > 16, takenBackCount * 2 > inserted.count + changed.count + deleted.count else { return }
    // Deinitialisers may change objects. The lists keep the objects until all lists are consistent.
    let former = (inserted, changed, deleted)
    (inserted, changed, deleted) = (livingInserted, livingChanged, livingDeleted)
    takenBackCount = 0
    filterCount += 1
    withExtendedLifetime(former) {}
  }

  /// The objects of a list that still have its flag, each once: an object may have been taken back and added again.
  private func living(
    _ objects: ContiguousArray<AnyObject>, with flag: ModelState.Flags
  ) -> ContiguousArray<AnyObject> {
    guard takenBackCount > 0, !objects.isEmpty else { return objects }
    return filter(objects, with: flag, as: map.modelType)
  }

  private func filter<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, with flag: ModelState.Flags, as type: T.Type
  ) -> ContiguousArray<AnyObject> {
    var result: ContiguousArray<AnyObject> = []
    result.reserveCapacity(objects.count)
    for object in objects {
      let state = unsafeDowncast(object, to: T.self)._$state
      guard state.pointee.identityMap === map, state.pointee.flags.contains(flag) else { continue }
      // The flag is removed here and restored below, so that a second entry of the object is skipped.
      state.pointee.flags.remove(flag)
      result.append(object)
    }
    for object in result { unsafeDowncast(object, to: T.self)._$state.pointee.flags.insert(flag) }
    return result
  }
}

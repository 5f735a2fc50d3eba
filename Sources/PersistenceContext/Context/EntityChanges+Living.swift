// What of the lists still waits to be saved.

import PersistenceRuntime

extension EntityChanges {
  var hasPending: Bool { !inserted.isEmpty || !changed.isEmpty || !deleted.isEmpty || !batchDeletedKeys.isEmpty }
  /// Whether nothing is pending but deletions of rows without objects.
  var hasOnlyBatchDeletions: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  package var livingInserted: ContiguousArray<AnyObject> { living(inserted, with: .inserted) }
  package var livingChanged: ContiguousArray<AnyObject> { living(changed, with: .changed) }
  package var livingDeleted: ContiguousArray<AnyObject> { living(deleted, with: .deleted) }

  /// Notes that an object was taken back. The lists keep it until they are sifted, and a context that never saves must
  /// not keep every object that ever came and went.
  func noteTakenBack() {
    takenBackCount += 1
    guard takenBackCount > 16, takenBackCount * 2 > inserted.count + changed.count + deleted.count else { return }
    // What goes may run code that changes objects, which must not come in the middle.
    let former = (inserted, changed, deleted)
    (inserted, changed, deleted) = (livingInserted, livingChanged, livingDeleted)
    takenBackCount = 0
    withExtendedLifetime(former) {}
  }

  /// The objects of a list that still carry its flag, each once: one may have been taken back and added again.
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
      // Taken out while it is listed, put back below: a second mention finds no flag.
      state.pointee.flags.remove(flag)
      result.append(object)
    }
    for object in result { unsafeDowncast(object, to: T.self)._$state.pointee.flags.insert(flag) }
    return result
  }
}

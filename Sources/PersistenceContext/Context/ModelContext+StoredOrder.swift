import PersistenceRuntime

extension ModelContext {
  /// What the store says, when memory has to judge it and objects here have other values than their rows.
  ///
  /// The rows are judged as objects of a context that has no changes; the answer is this context's own objects of them.
  func storedApart<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    guard transactionSnapshot == nil, !plan.map.entity.runsInContext else { return try stored(plan) }
    let apart = ModelContext(stores: stores)
    let keys = try apart.fetch(plan.descriptor).map { $0._$state.pointee.primaryKey }
    return try models(of: keys, mask: plan.request.mask, in: plan.map)
  }

  /// The objects of some rows, in the order of the keys; those whose rows are gone are left out.
  package func models<T: PersistentModel>(of keys: [Int64], mask: UInt64, in map: IdentityMap) throws -> [T] {
    let request = FetchRequest(entity: map.entity, selection: .keys(keys), mask: mask)
    let group = map.entity.loadsInGroupsInFamily ? FetchGroup() : nil
    let objects = try map.store.objects(request, in: map, group: group)
    // The map holds objects unretained, so these have to live until they are found again.
    return withExtendedLifetime(objects) {
      keys.compactMap { key in map.object(for: key).map { unsafeDowncast($0, to: T.self) } }
    }
  }
}

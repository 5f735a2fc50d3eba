import PersistenceRuntime

extension ModelContext {
  /// The result of the store without pending changes, if memory filters or sorts and objects have other values than
  /// their rows.
  ///
  /// A temporary context without changes evaluates the rows. The result contains this context's objects.
  func storedApart<T: PersistentModel>(_ plan: FetchPlan<T>) throws -> [T] {
    guard transactionSnapshot == nil, !plan.map.entity.runsInContext else { return try stored(plan) }
    let apart = ModelContext(stores: stores)
    let keys = try apart.fetch(plan.descriptor).map { $0._$state.pointee.primaryKey }
    return try models(of: keys, mask: plan.request.mask, in: plan.map)
  }

  /// The objects of some rows, in the order of the keys, without deleted rows.
  package func models<T: PersistentModel>(of keys: [Int64], mask: UInt64, in map: IdentityMap) throws -> [T] {
    let request = FetchRequest(entity: map.entity, selection: .keys(keys), mask: mask)
    let group = map.entity.loadsInGroupsInFamily ? FetchGroup() : nil
    let objects = try map.store.objects(request, in: map, group: group)
    // The map does not retain objects.
    return withExtendedLifetime(objects) {
      keys.compactMap { key in map.object(for: key).map { unsafeDowncast($0, to: T.self) } }
    }
  }
}

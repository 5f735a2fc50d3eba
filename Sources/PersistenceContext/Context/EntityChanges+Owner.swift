// How a map that objects refer to finds its context, and what stands for that after its end.

import PersistenceRuntime

extension IdentityMap {
  /// The changes of the context; nil once the context has gone.
  @inline(__always)
  var changes: EntityChanges? {
    // No map of a context has an owner of another class.
    ownerObject.map { unsafeDowncast($0.takeUnretainedValue(), to: EntityChanges.self) }
  }

  /// The context, until it goes.
  @inline(__always)
  package var context: ModelContext? {
    guard let ownerObject else { return nil }
    return ownerObject._withUnsafeGuaranteedRef { unsafeDowncast($0, to: EntityChanges.self).context }
  }

  /// The keys of rows that the next save deletes without there being objects of them.
  package var batchDeletedKeys: Set<Int64> { changes?.batchDeletedKeys ?? [] }

  /// The context in which objects of a context that is gone find what they relate to.
  func adoptiveContext() -> ModelContext {
    if let adopted { return unsafeDowncast(adopted, to: ModelContext.self) }
    let types = store.layouts.map(\.modelType)
    let stores = ContainerStores(
      schema: ContainerSchema(types), modelTypes: types, stores: [store], logger: store.logger)
    let context = ModelContext(stores: stores)
    adopted = context
    return context
  }
}

extension EntityChanges: MapOwner {
  package func beginRead() { context?.referrers.beginRead() }

  package func endRead(isComplete: Bool, keys: () -> [Int64]) {
    context?.referrers.endRead(of: map, isComplete: isComplete, keys: keys())
  }

  package static func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap? {
    map.store.identityMap(for: type, beside: map)
  }

  package static func keepHandWritten(_ object: AnyObject, key: Int64, in map: IdentityMap) {
    if let changes = map.changes { return changes.keep(object, key: key) }
    // Its context has gone while it was read: nothing takes it out of the table any more, so it must not die.
    _ = Unmanaged.passRetained(object)
  }

  package static func willRegisterMember(_ object: AnyObject, at key: Int64, in map: IdentityMap) {
    map.letGoOfFormer(at: key, for: object, ofOtherClasses: true)
  }

  package static func didReadRow<T: PersistentModel>(of model: T, mask: UInt64) { model._$didReadRow(mask) }

  package static func noteStaleValues<T: PersistentModel>(of model: T, _ positions: Range<Int>, in map: IdentityMap) {
    model._$noteStaleValues(positions, in: map)
  }
}

// How a map finds its context, and what replaces the context after its end.

import PersistenceRuntime
import PersistenceSupport

extension IdentityMap {
  /// The changes of the context; nil after the end of the context.
  @inline(__always)
  var changes: EntityChanges? {
    // The owner of a context's map is always an EntityChanges.
    owner.map { unsafeDowncast($0.takeUnretainedValue(), to: EntityChanges.self) }
  }

  /// The context; nil after its end.
  @inline(__always)
  package var context: ModelContext? {
    guard let owner else { return nil }
    return owner._withUnsafeGuaranteedRef { unsafeDowncast($0, to: EntityChanges.self).context }
  }

  /// The context for the library's own use: also one that writes in its deinit, which the program must not find.
  var ownContext: ModelContext? { changes.flatMap { $0.context ?? $0.endingContext } }

  /// The keys of rows that the next save deletes without objects.
  package var batchDeletedKeys: Set<Int64> { changes?.batchDeletedKeys ?? [] }

  /// The context in which objects of a released context read their relationships.
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
  package static func beginRead(in map: IdentityMap) { map.context?.referrers.beginRead() }

  package static func endRead(in map: IdentityMap, isComplete: Bool, keys: () -> [Int64]) {
    map.context?.referrers.endRead(of: map, isComplete: isComplete, keys: keys())
  }

  package static func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T, in map: IdentityMap) {
    map.changes?.noteUnsaved(token, of: model)
  }

  package static func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap? {
    map.store.identityMap(for: type, beside: map)
  }

  package static func keepHandWritten(_ object: AnyObject, key: Int64, in map: IdentityMap) {
    if let changes = map.changes { return changes.keep(object, key: key) }
    // The context ended during the read. Nothing removes the object from the table any more, so it must not be freed.
    _ = Unmanaged.passRetained(object)
  }

  package static func willRegisterMember(_ object: AnyObject, at key: Int64, in map: IdentityMap) {
    map.letGoOfFormer(at: key, for: object, ofOtherClasses: true)
  }

  package static func didReadRow<T: PersistentModel>(of model: T, mask: UInt64) { model._$didReadRow(mask) }

  package static func noteUnread<T: PersistentModel>(
    _ failures: ContiguousArray<PropertyFailure>, of model: T, mask: UInt64, in map: IdentityMap
  ) -> [SwiftDataError] {
    model._$noteUnread(failures, mask: mask, in: map)
  }

  package static func noteLeftOut(_ error: SwiftDataError, key: Int64, in map: IdentityMap) -> Bool {
    map.context?.noteLeftOut(error, key: key, in: map) ?? true
  }

  package static func noteStaleValues<T: PersistentModel>(of model: T, _ positions: Range<Int>, in map: IdentityMap) {
    model._$noteStaleValues(positions, in: map)
  }
}

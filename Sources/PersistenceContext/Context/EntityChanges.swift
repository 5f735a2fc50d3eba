import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

/// The pending changes of one context for one entity, and the ranks of its objects in lists.
///
/// Confined to the context: only code that may use the context may touch it. It has no locks and is not Sendable.
///
/// The context owns the changes. The ``IdentityMap`` refers to them unretained until ``close()``: objects own their
/// map, and any thread may free the last object, long after the context.
package final class EntityChanges {
  /// The registered objects of the entity.
  package let map: IdentityMap
  /// The context; nil from its deinit on, because code that its last save executes must not find the context.
  private(set) unowned(unsafe) var context: ModelContext?
  /// The context while it writes in its deinit. Only the library uses this reference.
  private(set) unowned(unsafe) var endingContext: ModelContext?
  /// The changes of the root of the hierarchy; nil for the root itself and without a hierarchy.
  private let root: EntityChanges?

  /// Objects that the next save inserts. An entry whose object lacks the flag `inserted` was reverted.
  @exclusivity(unchecked) var inserted: ContiguousArray<AnyObject> = []
  /// The objects of ``inserted`` whose identifier the program knows, by that identifier.
  @exclusivity(unchecked) var unsaved: [ObjectIdentifier: AnyObject] = [:]
  /// Objects that the next save updates. An entry whose object lacks the flag `changed` was reverted.
  @exclusivity(unchecked) package var changed: ContiguousArray<AnyObject> = []
  /// Objects that the next save deletes. An entry whose object lacks the flag `deleted` was reverted.
  @exclusivity(unchecked) package var deleted: ContiguousArray<AnyObject> = []
  /// The values that changed properties had before their changes.
  @exclusivity(unchecked) var originals = OriginalValues()
  /// The keys of rows that the next save deletes without objects.
  package var batchDeletedKeys: Set<Int64> {
    get { root?.batchDeletedKeys ?? ownBatchDeletedKeys }
    _modify {
      if let root { yield &root.batchDeletedKeys } else { yield &ownBatchDeletedKeys }
    }
  }
  @exclusivity(unchecked) private(set) var ownBatchDeletedKeys: Set<Int64> = []
  /// The ranks of objects in to-many relationships, if the ranks differ from the keys. They are indexed by the position
  /// of the property that refers to the owner, and then by key.
  var listPositions: [Int: [Int64: Double]] {
    get { root?.listPositions ?? ownListPositions }
    _modify {
      if let root { yield &root.listPositions } else { yield &ownListPositions }
    }
  }
  private var ownListPositions: [Int: [Int64: Double]] = [:]
  /// The number of ranks at which the ranks of freed objects are removed.
  private var rankLimit = 1_024
  private var handWritten = HandWrittenModels()
  /// The number of reverted entries in the lists. If it is not 0, the lists have to be filtered.
  var takenBackCount = 0
  /// The number of times that the lists were filtered. A filtered list may have other objects but the same length.
  var filterCount = 0

  /// Whether a save has verified that generated code maintains the relationships of the entity.
  var keepsRelationships = false

  var isRoot: Bool { root == nil }

  /// Creates the changes of an entity as the owner of its map.
  init(of map: IdentityMap, in context: ModelContext, root: EntityChanges?) {
    self.map = map
    self.context = context
    self.root = root
    map.owner = .passUnretained(self)
  }

  /// Removes the ranks of freed objects if there are many ranks. A loaded list retains its members, and a later read of
  /// an unloaded list also reads their ranks.
  func pruneRanks() {
    if let root { return root.pruneRanks() }
    let count = ownListPositions.values.reduce(0) { $0 + $1.count }
    guard count > rankLimit else { return }
    for (position, ranks) in ownListPositions { ownListPositions[position] = map.registered(among: ranks) }
    rankLimit = max(1_024, 2 * ownListPositions.values.reduce(0) { $0 + $1.count })
  }

  /// Retains a hand-written model (without `@Model`) while the program may use it through its backing data.
  func keep(_ object: AnyObject, key: Int64) {
    // The backing data of a released model removes the model from the table.
    for model in keepByHand(object, key: key, as: map.modelType) { model.release() }
  }

  private func keepByHand<T: PersistentModel>(
    _ object: AnyObject, key: Int64, as type: T.Type
  ) -> [Unmanaged<AnyObject>] {
    handWritten.keep(object, key: key, as: type)
  }

  // MARK: The deinitialisation of the context

  /// Hides the context from the program while the context writes in its deinit, and shows it again.
  ///
  /// Called for all entities before rows are written. Each map still refers to its changes: the save needs them.
  func hideContext(_ isHidden: Bool) {
    if isHidden, let context { (self.context, endingContext) = (nil, context) }
    if !isHidden, let endingContext { (context, self.endingContext) = (endingContext, nil) }
  }

  /// Removes the references to the context. The deinit of the context calls this for all entities before it closes one.
  func closeContext() {
    context = nil
    endingContext = nil
  }

  /// Adds an object to the changed objects, if code changed it while the context writes in its deinit.
  func noteChangeAtEnd<T: PersistentModel>(of model: T) {
    let state = model._$state
    guard let endingContext, state.pointee.flags.isDisjoint(with: [.inserted, .changed, .deleted, .gone]) else {
      return
    }
    state.pointee.flags.insert(.changed)
    changed.append(model)
    endingContext.pending.changed += 1
  }

  /// Closes the changes of a context that is released.
  ///
  /// Unsaved objects become detached. Living registered objects release their related objects, and read relationships
  /// again on access: objects that retain each other would never be freed, and would keep the store open.
  func close() {
    closeContext()
    map.flush()
    letGo(of: inserted, as: map.modelType)
    inserted = []
    unsaved = [:]
    changed = []
    deleted = []
    // The map of the root has the objects of all classes of the hierarchy.
    if isRoot, map.entity.hasRelationshipsInFamily { releaseRelationships(as: map.modelType) }
    // Deinitialisers of models may execute code of the program, which must not add hand-written models any more.
    let kept = handWritten.takeAll()
    map.owner = nil
    // Removed from the table explicitly, because backing data may outlive its model.
    for (key, model) in kept {
      map.forget(model.toOpaque(), key: key)
      model.release()
    }
  }

  private func letGo<T: PersistentModel>(of objects: ContiguousArray<AnyObject>, as type: T.Type) {
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      if model._$state.pointee.identityMap === map, model._$isDetached { model._$becomeNew() }
    }
  }

  private func releaseRelationships<T: PersistentModel>(as type: T.Type) {
    NullRowReader.releaseRelationships(of: map.objectsOfRows().lazy.map { unsafeDowncast($0, to: T.self) }, in: map)
  }
}

// The entries of the lists that are still pending.

extension EntityChanges {
  var hasPending: Bool { !inserted.isEmpty || !changed.isEmpty || !deleted.isEmpty || !batchDeletedKeys.isEmpty }
  /// Whether no objects are pending. Keys of batch-deleted rows may still be pending.
  var hasOnlyBatchDeletions: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  package var livingInserted: ContiguousArray<AnyObject> { living(inserted, with: .inserted) }
  package var livingChanged: ContiguousArray<AnyObject> { living(changed, with: .changed) }
  package var livingDeleted: ContiguousArray<AnyObject> { living(deleted, with: .deleted) }

  /// Counts a reverted entry, and filters the lists if necessary.
  ///
  /// The lists keep reverted entries until they are filtered. They are filtered when half of the entries are reverted,
  /// so that a context that never saves does not keep every object.
  func noteTakenBack() {
    takenBackCount += 1
    context?.watch?.noteRows(of: ObjectIdentifier(map.modelType))
    guard takenBackCount > 16, takenBackCount * 2 > inserted.count + changed.count + deleted.count else { return }
    // Deinitialisers may change objects. The former lists retain the objects until all lists are consistent.
    let former = (inserted, changed, deleted)
    (inserted, changed, deleted) = (livingInserted, livingChanged, livingDeleted)
    takenBackCount = 0
    filterCount += 1
    withExtendedLifetime(former) {}
  }

  /// The objects of a list that still have its flag, each once. An object may have been reverted and added again.
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

// How a map finds its context, and what replaces the context after its release.

extension IdentityMap {
  /// The changes of the context; nil after the release of the context.
  @inline(__always)
  var changes: EntityChanges? {
    // The owner of a context's map is always an EntityChanges.
    owner.map { unsafeDowncast($0.takeUnretainedValue(), to: EntityChanges.self) }
  }

  /// The context; nil after its release.
  @inline(__always)
  package var context: ModelContext? {
    guard let owner else { return nil }
    return owner._withUnsafeGuaranteedRef { unsafeDowncast($0, to: EntityChanges.self).context }
  }

  /// The context for the library's own use, even if it writes in its deinit. The program must not find it then.
  var ownContext: ModelContext? { changes.flatMap { $0.context ?? $0.endingContext } }

  /// The keys of rows that the next save deletes without objects.
  package var batchDeletedKeys: Set<Int64> { changes?.batchDeletedKeys ?? [] }

  /// The context in which objects of a released context read their relationships.
  func adoptiveContext() -> ModelContext {
    if let adopted { return unsafeDowncast(adopted, to: ModelContext.self) }
    let types = store.layouts.map(\.modelType)
    let stores = ContainerStores(
      schema: ContainerSchema(types), modelTypes: types, stores: [store])
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
    // The context was released during the read. The object stays in the table permanently, so it must not be freed.
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

extension EntityChanges {
  /// Registers the identifier of a model, if the model waits for its insertion.
  package func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T) {
    if model._$state.pointee.flags.contains(.inserted) { unsaved[ObjectIdentifier(token)] = model }
  }

  /// Registers the identifiers of all objects that wait for their insertion.
  func noteUnsaved() {
    for object in inserted {
      let model = map.entity.model(object)
      if let token = model._$state.pointee.token { noteUnsaved(token, of: model) }
    }
  }

  /// Removes the identifier of an object that no longer waits for its insertion.
  func forget(_ token: IdentifierToken) {
    unsaved[ObjectIdentifier(token)] = nil
  }

  /// The object that waits for its insertion and has this identifier, by a hash look-up.
  func object(for token: IdentifierToken) -> AnyObject? {
    func isMeant<T: PersistentModel>(_ object: AnyObject, _ type: T.Type) -> Bool {
      let state = unsafeDowncast(object, to: T.self)._$state
      return state.pointee.identityMap === map && state.pointee.flags.contains(.inserted)
        && state.pointee.token === token
    }
    return unsaved[ObjectIdentifier(token)].flatMap { isMeant($0, map.modelType) ? $0 : nil }
  }
}

/// The values of properties before their pending changes.
///
/// One list serves a whole entity, so that an unchanged object needs no memory and a change is one append. The list is
/// searched only after a commit of another context or process.
struct OriginalValues {
  private struct Entry {
    /// The lists of changes retain the object as long as the entry exists.
    let object: ObjectIdentifier
    let position: Int
    let value: Any
  }

  /// A property of an object.
  private struct PropertyKey: Hashable {
    let object: ObjectIdentifier
    let position: Int
  }

  private var entries: ContiguousArray<Entry> = []
  /// The indices of the entries of properties that share a mask bit, by object and property.
  private var broad: [PropertyKey: Int] = [:]
  /// The keys of rows that were changed or deleted elsewhere while their objects had pending changes.
  private(set) var contested: Set<Int64> = []

  var isEmpty: Bool { entries.isEmpty && contested.isEmpty }

  mutating func contest(_ key: Int64) { contested.insert(key) }

  mutating func note(_ value: Any, of object: AnyObject, at position: Int) {
    let identity = ObjectIdentifier(object)
    if position >= PropertyMask.sharedPosition {
      let property = PropertyKey(object: identity, position: position)
      guard broad[property] == nil else { return }
      broad[property] = entries.count
    }
    entries.append(Entry(object: identity, position: position, value: value))
  }

  /// Keeps only the values of the given objects, and the contested keys among the given keys.
  mutating func keepOnly(_ objects: Set<ObjectIdentifier>, keys: [Int64]) {
    entries.removeAll { !objects.contains($0.object) }
    broad.removeAll()
    for (index, entry) in entries.enumerated() where entry.position >= PropertyMask.sharedPosition {
      broad[PropertyKey(object: entry.object, position: entry.position)] = index
    }
    contested.formIntersection(keys)
  }

  /// The former value of one of the properties that share a mask bit; nil if the property has not changed.
  func shared(of object: AnyObject, at position: Int) -> Any? {
    broad[PropertyKey(object: ObjectIdentifier(object), position: position)].map { entries[$0].value }
  }

  /// Calls a function with each recorded value of some objects, the latest first. So the last call for a property
  /// passes the value that the property had before all of its changes.
  func forEach(of objects: ContiguousArray<AnyObject>, _ body: (AnyObject, _ position: Int, _ value: Any) -> Void) {
    var index = objects.count - 1
    var byIdentity: [ObjectIdentifier: AnyObject]?
    for entry in entries.reversed() {
      // Most objects have the same order in both lists, so the neighbour is compared before a hash look-up.
      while index > 0, ObjectIdentifier(objects[index]) != entry.object,
        entry.object == ObjectIdentifier(objects[index - 1])
      { index -= 1 }
      if index >= 0, ObjectIdentifier(objects[index]) == entry.object {
        body(objects[index], entry.position, entry.value)
        continue
      }
      let known = byIdentity ?? Dictionary(objects.map { (ObjectIdentifier($0), $0) }) { first, _ in first }
      byIdentity = known
      if let object = known[entry.object] { body(object, entry.position, entry.value) }
    }
  }

  /// The values by object and position. The first recorded value of a property is the value that was read.
  func grouped() -> [ObjectIdentifier: [Int: Any]] {
    var result: [ObjectIdentifier: [Int: Any]] = [:]
    for entry in entries {
      result[entry.object, default: [:]].merge([entry.position: entry.value]) { first, _ in first }
    }
    return result
  }
}

/// The object of a to-one relationship before its change.
struct OriginalReference {
  let object: (any PersistentModel)?

  var key: Int64 { object?._$state.pointee.primaryKey ?? 0 }
}

/// The hand-written models of a context for one entity, each retained once, with its key. A row may have several
/// models, and a key may belong to a deleted row.
///
/// A hand-written model does not report its deallocation, and its backing data may be retained and changed without the
/// model. So the models are retained here. When there are many, the table releases a model if neither the model nor its
/// backing data has another reference. Confined to the context.
struct HandWrittenModels: ~Copyable {
  // Retained manually: reference counts are compared with 1, and the compiler may add or omit other retains.
  private var keys: [UnsafeMutableRawPointer: Int64] = [:]
  /// The number of models at which unused models are released.
  private var limit = 1_024

  deinit {
    for address in keys.keys { Unmanaged<AnyObject>.fromOpaque(address).release() }
  }

  /// Adds a model or updates its key.
  ///
  /// - Returns: The models that the caller must release. Their deinitialisers may execute code that calls this again.
  mutating func keep<T: PersistentModel>(_ object: AnyObject, key: Int64, as type: T.Type) -> [Unmanaged<AnyObject>] {
    let address = Unmanaged.passUnretained(object).toOpaque()
    // A second retain would keep the model permanently, because it would always appear to be in use.
    guard keys.updateValue(key, forKey: address) == nil else { return [] }
    _ = Unmanaged.passRetained(object)
    guard keys.count > limit else { return [] }
    let released = takeUnused(as: type)
    limit = max(1_024, keys.count * 2)
    return released
  }

  /// Removes all models. The caller must release them.
  mutating func takeAll() -> [(key: Int64, model: Unmanaged<AnyObject>)] {
    defer { keys = [:] }
    return keys.map { ($0.value, Unmanaged<AnyObject>.fromOpaque($0.key)) }
  }

  /// Removes the models without other references. The lists of changes reference models with pending changes.
  private mutating func takeUnused<T: PersistentModel>(as type: T.Type) -> [Unmanaged<AnyObject>] {
    let unused = keys.keys.map { Unmanaged<AnyObject>.fromOpaque($0) }.filter { Self.isUnused($0, as: type) }
    for model in unused { keys[model.toOpaque()] = nil }
    return unused
  }

  private static func isUnused<T: PersistentModel>(_ model: Unmanaged<AnyObject>, as type: T.Type) -> Bool {
    guard swift_retainCount(model.toOpaque()) == 1, let data = dataAddress(of: model, as: type) else { return false }
    return swift_retainCount(data) == 1
  }

  /// The function is not inlined, so that its references are released when it returns.
  @inline(never)
  private static func dataAddress<T: PersistentModel>(
    of model: Unmanaged<AnyObject>, as type: T.Type
  ) -> UnsafeMutableRawPointer? {
    model._withUnsafeGuaranteedRef {
      (unsafeDowncast($0, to: T.self).persistentBackingData as? any HeldBackingData)
        .map { Unmanaged.passUnretained($0 as AnyObject).toOpaque() }
    }
  }
}

/// Backing data that is an object, owned by a model.
package protocol HeldBackingData: AnyObject {}

// Objects of deleted rows whose keys now belong to other rows: another program inserted such a row, or the engine
// reused the key. Look-ups by key and remote changes of the new row do not reach such objects.

extension IdentityMap {
  /// Unregisters the objects of a deleted row, when the object of a new row with the same key is registered.
  ///
  /// Their pending changes stay pending; the save resolves the conflict.
  /// - Parameters:
  ///   - key: The key.
  ///   - successor: The object of the new row.
  ///   - ofOtherClasses: Whether only objects of other classes than the map's own are unregistered.
  func letGoOfFormer(at key: Int64, for successor: AnyObject, ofOtherClasses: Bool = false) {
    let root = rootMap
    // All objects are collected before the first is unregistered, because observers may execute code.
    var former = root.seconds.isEmpty ? [] : root.secondObjects(ofRow: key)
    if let registered = root.object(ofRow: key) { former.append(root.entity.model(registered)) }
    for model in former where model !== successor {
      let own = model._$state.pointee.identityMap ?? root
      if !ofOtherClasses || own !== self { letGo(of: model, in: own) }
    }
  }

  private func letGo(of former: any PersistentModel, in own: IdentityMap) {
    func letGo<T: PersistentModel>(_ model: T) {
      let state = model._$state
      context?.didTouch(model, in: own)
      if state.pointee.dirty != 0 { own.changes?.originals.contest(state.pointee.primaryKey) }
      model._$noteGone(in: own)
      // An object with pending changes is not marked as deleted. It is unregistered here: its key must not lead to it.
      guard !state.pointee.flags.contains(.gone) else { return }
      state.pointee.withdraw(Unmanaged.passUnretained(model).toOpaque())
    }
    // Uses the object's own class, so that the observers of all of its properties are notified.
    letGo(own.entity.model(former))
  }
}

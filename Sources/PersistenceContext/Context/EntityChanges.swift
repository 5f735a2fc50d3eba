import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

/// A context's pending changes to the objects of one entity, and the positions of these objects in to-many lists.
///
/// Only used on the context's thread or actor. It has no locks and is not Sendable.
///
/// The context owns the changes. The ``IdentityMap`` has an unretained reference to them until ``close()``. The map
/// must not retain them: objects retain their map, and any thread may free the last object, long after the context.
package final class EntityChanges {
  package let map: IdentityMap
  /// The context; nil from its deinit on: the last save may execute code of the program, which must not retain it.
  private(set) unowned(unsafe) var context: ModelContext?
  /// The context while it saves in its deinit, for the library's own use; otherwise nil.
  private(set) unowned(unsafe) var endingContext: ModelContext?
  /// The changes of the root class, if the entity inherits from another entity; otherwise nil.
  private let root: EntityChanges?

  /// The objects that the next save inserts. If an object lacks the flag `inserted`, its insertion was reverted.
  @exclusivity(unchecked) var inserted: ContiguousArray<AnyObject> = []
  /// The objects of ``inserted`` whose identifier the program has read, by the address of its ``IdentifierToken``.
  @exclusivity(unchecked) var unsaved: [ObjectIdentifier: AnyObject] = [:]
  /// The objects that the next save updates. If an object lacks the flag `changed`, its change was reverted.
  @exclusivity(unchecked) package var changed: ContiguousArray<AnyObject> = []
  /// The objects that the next save deletes. If an object lacks the flag `deleted`, its deletion was reverted.
  @exclusivity(unchecked) package var deleted: ContiguousArray<AnyObject> = []
  /// The values that the changed properties had before their first change since the last save.
  @exclusivity(unchecked) var originals = OriginalValues()
  /// The keys of rows that the next save deletes without objects.
  package var batchDeletedKeys: Set<Int64> {
    get { root?.batchDeletedKeys ?? ownBatchDeletedKeys }
    _modify {
      if let root { yield &root.batchDeletedKeys } else { yield &ownBatchDeletedKeys }
    }
  }
  @exclusivity(unchecked) private(set) var ownBatchDeletedKeys: Set<Int64> = []
  /// The sort positions of objects in to-many relationships. An object without an entry is sorted by its key. The outer
  /// index is the position of the property that refers to the owner; the inner index is the key of the object.
  var listPositions: [Int: [Int64: Double]] {
    get { root?.listPositions ?? ownListPositions }
    _modify {
      if let root { yield &root.listPositions } else { yield &ownListPositions }
    }
  }
  private var ownListPositions: [Int: [Int64: Double]] = [:]
  /// The number of entries of ``listPositions`` above which the entries of freed objects are removed.
  private var rankLimit = 1_024
  private var handWritten = HandWrittenModels()
  /// The number of objects in `inserted`, `changed` and `deleted` whose change was reverted. If 0, all are pending.
  var takenBackCount = 0
  /// The number of times that these lists were filtered. A list may have other objects but the same length afterwards.
  var filterCount = 0

  /// True after a save has checked that generated code maintains the relationships of the entity.
  var keepsRelationships = false

  var isRoot: Bool { root == nil }

  /// Whether the entity has no relationships and is the destination of none. A deletion then changes no other object.
  private(set) lazy var isUnrelated =
    !map.entity.hasRelationships && !map.store.oneWayDestinations.contains(map.entity.name)

  /// Creates the changes of an entity, and sets them as the owner of the entity's map.
  init(of map: IdentityMap, in context: ModelContext, root: EntityChanges?) {
    self.map = map
    self.context = context
    self.root = root
    map.owner = .passUnretained(self)
  }

  /// Removes the list positions of freed objects if there are many entries. No loaded list needs them, because a loaded
  /// list retains its members. A later read of an unloaded list reads the positions from the rows.
  func pruneRanks() {
    if let root { return root.pruneRanks() }
    let count = ownListPositions.values.reduce(0) { $0 + $1.count }
    guard count > rankLimit else { return }
    for (position, ranks) in ownListPositions { ownListPositions[position] = map.registered(among: ranks) }
    rankLimit = max(1_024, 2 * ownListPositions.values.reduce(0) { $0 + $1.count })
  }

  /// Retains a hand-written model (a class without `@Model`) as long as the program may use it or its backing data.
  func keep(_ object: AnyObject, key: Int64) {
    // The backing data of a released model removes the model from the identity map.
    for model in keepByHand(object, key: key, as: map.modelType) { model.release() }
  }

  private func keepByHand<T: PersistentModel>(
    _ object: AnyObject, key: Int64, as type: T.Type
  ) -> [Unmanaged<AnyObject>] {
    handWritten.keep(object, key: key, as: type)
  }

  // MARK: The deinitialisation of the context

  /// Hides the context from the program while the context writes in its deinit, or shows it again.
  ///
  /// The context calls this for all entities before it writes rows. The maps still refer to the changes, for the save.
  func hideContext(_ isHidden: Bool) {
    if isHidden, let context { (self.context, endingContext) = (nil, context) }
    if !isHidden, let endingContext { (context, self.endingContext) = (endingContext, nil) }
  }

  /// Removes the references to the context. The deinit calls this for all entities, and then ``close()``.
  func closeContext() {
    context = nil
    endingContext = nil
  }

  /// Adds an object to the changed objects, if code of the program changes it while the context writes in its deinit.
  func noteChangeAtEnd<T: PersistentModel>(of model: T) {
    let state = model._$state
    guard let endingContext, state.pointee.flags.isDisjoint(with: [.inserted, .changed, .deleted, .gone]) else {
      return
    }
    state.pointee.flags.insert(.changed)
    changed.append(model)
    endingContext.pending.changed += 1
  }

  /// Discards the changes when the context is released.
  ///
  /// Unsaved objects leave the context. Objects that are still in memory release their related objects, and read their
  /// relationships again on access. Otherwise objects that retain each other would never be freed, and would keep the
  /// store open.
  func close() {
    closeContext()
    map.flush()
    letGo(of: inserted, as: map.modelType)
    inserted = []
    unsaved = [:]
    changed = []
    deleted = []
    // The map of the root class contains the objects of all its subclasses.
    if isRoot, map.entity.hasRelationshipsInFamily { releaseRelationships(as: map.modelType) }
    // From here on `keep(_:key:)` must not add models. Deinitialisers of models may execute code that reads models.
    let kept = handWritten.takeAll()
    map.owner = nil
    // The map entry is removed here: the backing data, which otherwise removes it, may be freed after the model.
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

// The objects in `inserted`, `changed` and `deleted` whose changes are still pending.

extension EntityChanges {
  var hasPending: Bool { !inserted.isEmpty || !changed.isEmpty || !deleted.isEmpty || !batchDeletedKeys.isEmpty }
  /// Returns true if no object has pending changes. Rows may still be marked for deletion without objects.
  var hasOnlyBatchDeletions: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  package var livingInserted: ContiguousArray<AnyObject> { living(inserted, with: .inserted) }
  package var livingChanged: ContiguousArray<AnyObject> { living(changed, with: .changed) }
  package var livingDeleted: ContiguousArray<AnyObject> { living(deleted, with: .deleted) }

  /// Counts an object whose change was reverted, and filters the lists if there are many such objects.
  ///
  /// An object stays in its list after its change was reverted. When this is so for more than half of the objects, the
  /// lists are filtered. Otherwise a context that never saves would retain every object that was ever changed.
  func noteTakenBack() {
    takenBackCount += 1
    context?.watch?.noteRows(of: ObjectIdentifier(map.modelType))
    guard takenBackCount > 16, takenBackCount * 2 > inserted.count + changed.count + deleted.count else { return }
    // The former lists retain the objects until all lists are filtered, because deinitialisers may change objects.
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

// How a map finds its context, and the substitute for the context after its release.

extension IdentityMap {
  /// The changes of the context; nil after the release of the context.
  @inline(__always)
  var changes: EntityChanges? {
    // The initialiser of EntityChanges is the only code that sets the owner of a context's map.
    owner.map { unsafeDowncast($0.takeUnretainedValue(), to: EntityChanges.self) }
  }

  @inline(__always)
  package var context: ModelContext? {
    guard let owner else { return nil }
    return owner._withUnsafeGuaranteedRef { unsafeDowncast($0, to: EntityChanges.self).context }
  }

  /// The context, also while it writes in its deinit. For the library only: the program must not retain it then.
  var ownContext: ModelContext? { changes.flatMap { $0.context ?? $0.endingContext } }

  /// The keys of rows that the next save deletes without objects.
  package var batchDeletedKeys: Set<Int64> { changes?.batchDeletedKeys ?? [] }

  /// The substitute context in which objects read their relationships after the release of their own context.
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
    // The context was released during the read, so nothing removes the object from the map. The object must stay alive.
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
  /// Makes a model findable by its identifier, if the next save inserts the model.
  package func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T) {
    if model._$state.pointee.flags.contains(.inserted) { unsaved[ObjectIdentifier(token)] = model }
  }

  /// Makes all objects that the next save inserts findable by their identifiers.
  func noteUnsaved() {
    for object in inserted {
      let model = map.entity.model(object)
      if let token = model._$state.pointee.token { noteUnsaved(token, of: model) }
    }
  }

  /// Removes the identifier of an object whose insertion was saved or reverted.
  func forget(_ token: IdentifierToken) {
    unsaved[ObjectIdentifier(token)] = nil
  }

  /// The object with this identifier, if the next save inserts it; otherwise nil.
  func object(for token: IdentifierToken) -> AnyObject? {
    func isMeant<T: PersistentModel>(_ object: AnyObject, _ type: T.Type) -> Bool {
      let state = unsafeDowncast(object, to: T.self)._$state
      return state.pointee.identityMap === map && state.pointee.flags.contains(.inserted)
        && state.pointee.token === token
    }
    return unsaved[ObjectIdentifier(token)].flatMap { isMeant($0, map.modelType) ? $0 : nil }
  }
}

/// The values that properties had before their pending changes.
///
/// All objects of an entity share one list, so an unchanged object needs no memory and a change appends one entry.
/// Comparisons with rows search the list, but find properties from the 64th on in a dictionary (``shared(of:at:)``).
struct OriginalValues {
  private struct Entry {
    /// The identity of the object. The lists of ``EntityChanges`` retain the object as long as this entry exists.
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
  /// The indices in ``entries`` for the properties from the 64th on, which share one bit of the change mask.
  private var broad: [PropertyKey: Int] = [:]
  /// The keys of rows that another context or process changed or deleted while their objects had pending changes.
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

  /// Removes the values of all objects except the given ones, and all contested keys except the given ones.
  mutating func keepOnly(_ objects: Set<ObjectIdentifier>, keys: [Int64]) {
    entries.removeAll { !objects.contains($0.object) }
    broad.removeAll()
    for (index, entry) in entries.enumerated() where entry.position >= PropertyMask.sharedPosition {
      broad[PropertyKey(object: entry.object, position: entry.position)] = index
    }
    contested.formIntersection(keys)
  }

  /// The value of a property from the 64th on before its pending change; nil if the property has not changed.
  func shared(of object: AnyObject, at position: Int) -> Any? {
    broad[PropertyKey(object: ObjectIdentifier(object), position: position)].map { entries[$0].value }
  }

  /// Calls a function with each recorded value of some objects, the latest first. So the last call for a property
  /// passes the value that the property had before all of its changes.
  func forEach(of objects: ContiguousArray<AnyObject>, _ body: (AnyObject, _ position: Int, _ value: Any) -> Void) {
    var index = objects.count - 1
    var byIdentity: [ObjectIdentifier: AnyObject]?
    for entry in entries.reversed() {
      // Both lists mostly have the same order. So the preceding object is compared before a hash look-up.
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

  /// The values by object and position. If a property has several values, the first one is the value that was read.
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

/// The hand-written models of a context for one entity, each retained once, with the key of its row. A row may have
/// several models, and may be deleted.
///
/// A hand-written model does not report its deallocation. The program may also release the model but retain and change
/// its backing data. So the models are retained here. When there are many, this list releases each model if nothing
/// else refers to the model or its backing data. Only used on the context's thread or actor.
struct HandWrittenModels: ~Copyable {
  // Retained manually, because the reference counts are compared with 1: the compiler could add or omit retains.
  private var keys: [UnsafeMutableRawPointer: Int64] = [:]
  /// The number of models above which unused models are released.
  private var limit = 1_024

  deinit {
    for address in keys.keys { Unmanaged<AnyObject>.fromOpaque(address).release() }
  }

  /// Adds a model or updates its key.
  ///
  /// - Returns: The unused models. The caller must release them, because their deinitialisers may call this again.
  mutating func keep<T: PersistentModel>(_ object: AnyObject, key: Int64, as type: T.Type) -> [Unmanaged<AnyObject>] {
    let address = Unmanaged.passUnretained(object).toOpaque()
    // A model that was retained twice would always appear to be in use, and would never be released.
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

  /// Removes the models without other references. Models with pending changes stay: the lists of changes refer to them.
  private mutating func takeUnused<T: PersistentModel>(as type: T.Type) -> [Unmanaged<AnyObject>] {
    let unused = keys.keys.map { Unmanaged<AnyObject>.fromOpaque($0) }.filter { Self.isUnused($0, as: type) }
    for model in unused { keys[model.toOpaque()] = nil }
    return unused
  }

  private static func isUnused<T: PersistentModel>(_ model: Unmanaged<AnyObject>, as type: T.Type) -> Bool {
    guard swift_retainCount(model.toOpaque()) == 1, let data = dataAddress(of: model, as: type) else { return false }
    return swift_retainCount(data) == 1
  }

  /// Not inlined, so that its references are released when it returns, before the caller reads the reference counts.
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

/// Backing data that is an object and belongs to one model.
package protocol HeldBackingData: AnyObject {}

// A new row may have the key of a deleted row: another program inserted it with this key, or the engine reused the key.
// Look-ups by key and remote changes of the new row must not reach the objects of the deleted row.

extension IdentityMap {
  /// Unregisters the objects of a deleted row, when the object of a new row with the same key is registered.
  ///
  /// Pending changes of the unregistered objects stay pending; the save resolves the conflict.
  /// - Parameters:
  ///   - key: The key.
  ///   - successor: The object of the new row.
  ///   - ofOtherClasses: Whether only objects of other classes than the map's class are unregistered.
  func letGoOfFormer(at key: Int64, for successor: AnyObject, ofOtherClasses: Bool = false) {
    let root = rootMap
    // All objects are collected before the first is unregistered, because observers may change the map.
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
      // `_$noteGone` skips an object with pending changes. It is unregistered here, so that its key no longer finds it.
      guard !state.pointee.flags.contains(.gone) else { return }
      state.pointee.withdraw(Unmanaged.passUnretained(model).toOpaque())
    }
    // The generic parameter must be the object's own class, so that observers of all its properties are notified.
    letGo(own.entity.model(former))
  }
}

import PersistenceSupport
import _CSwiftRuntime

extension _PersistenceRuntime {
  /// The living objects of one entity in one context, by primary key.
  ///
  /// The map stores the objects' addresses without retaining them; an object removes its entry when it is deallocated.
  /// Objects retain the map, so that they stay readable after the release of their context. The context stores its
  /// unsaved changes in ``EntityChanges``.
  ///
  /// Any thread may read the constants and may call ``forgetDying(at:)`` and ``forget(_:key:)``, because any thread may
  /// deallocate an object. Only the "inserting side" may use everything else: code in the isolation of the context or,
  /// after the context's release, the code that owns its objects.
  public final class IdentityMap: @unchecked Sendable {
    // Unchecked: `lock` guards what other threads change. One thread at a time uses the inserting side's variables:
    // contexts and class models are not Sendable, and the context's executor confines models that are actors.

    // MARK: Constants

    package let entity: EntityLayout
    package let modelType: any PersistentModel.Type
    /// Retained, so that the store stays open for objects that outlive their context.
    package let store: StoreCoordinator
    /// The pool from which objects get their observation boxes; only the inserting side takes boxes. Contexts do not
    /// share a pool, because their observers may run on different threads.
    package let observation: ObservationPool
    /// The type of the owner, whose static functions also work after the release of the context.
    let ownerType: any MapOwner.Type
    /// The map of the hierarchy's root, which registers the objects of all classes, because a row has one object,
    /// regardless of the fetched class. Nil for a root, and for entities without inheritance.
    private let root: IdentityMap?

    // MARK: Guarded by the lock

    /// Other threads only remove entries, so the inserting side checks without the lock whether a key is free.
    @exclusivity(unchecked) private var table = IdentityTable()
    /// The objects of deleted rows by their former keys, if the entity has relationships. See ``unregister(_:key:)``.
    @exclusivity(unchecked) private var deletedObjects: [Int64: UnsafeMutableRawPointer] = [:]
    private let lock = Lock(())

    // MARK: For the inserting side only, without the lock

    /// The key of the object that was used last. If the next one has the following key, an object ahead is prefetched.
    @exclusivity(unchecked) private var lastKey: Int64 = 0
    /// Living objects that are not in ``table`` yet. The next look-up or ``flush()`` moves them there.
    @exclusivity(unchecked) private var pending = PendingRegistrations()
    /// Unretained, because objects retain the map and may outlive the context. Set to nil when the context is freed.
    @exclusivity(unchecked) @usableFromInline var storedOwner: Unmanaged<AnyObject>?
    /// The substitute context, in which objects find their related objects after the release of their own context.
    package var adopted: AnyObject?
    /// The second objects of rows (see ``SecondInstances``); a hierarchy has one list, in the root's map. Also used
    /// after the release of the context: the first object that finds its row deleted updates the row's other objects.
    package var seconds: SecondInstances {
      get { root?.seconds ?? ownSeconds }
      _modify {
        if let root { yield &root.seconds } else { yield &ownSeconds }
      }
    }
    @exclusivity(unchecked) private var ownSeconds = SecondInstances()
    /// The keys of related rows that were not found. The next access to the relationship looks up the row again.
    package var missingKeys: Set<Int64> = []
    /// The text of the last read failure that was logged. Also used after the release of the context.
    package var loggedReadFailure: String?

    /// - Parameter ownerType: The type of every ``owner`` of the map.
    package init(
      entity: EntityLayout, store: StoreCoordinator, observation: ObservationPool, root: IdentityMap? = nil,
      ownerType: any MapOwner.Type
    ) {
      self.root = root
      self.entity = entity
      self.modelType = entity.modelType
      self.store = store
      self.observation = observation
      self.ownerType = ownerType
    }

    /// The object of the type ``ownerType`` that records the context's changes of the entity; nil after the release of
    /// the context. Reading this property retains nothing.
    @inlinable package var owner: Unmanaged<AnyObject>? {
      get { storedOwner }
      set { storedOwner = newValue }
    }

    package var isRoot: Bool { root == nil }
    package var rootMap: IdentityMap { root ?? self }

    /// The registered object of a key; nil if there is none or it is being deallocated.
    @usableFromInline
    package func object(for key: Int64) -> AnyObject? {
      if let root { return root.object(for: key).flatMap { isMember($0) ? $0 : nil } }
      flush()
      return lookUp(key)
    }

    /// The living object of a row that is being decoded. For most rows, which have none, a lock-free test suffices.
    @usableFromInline
    package func object(ofRow key: Int64) -> AnyObject? {
      if root != nil || pending.contains(key) { return object(for: key) }
      return table.isFree(at: key) ? nil : lookUp(key)
    }

    @inline(__always)
    private func lookUp(_ key: Int64) -> AnyObject? {
      lock.acquire()
      defer { lock.release() }
      guard let address = table.address(at: key), let retained = swift_tryRetain(address) else { return nil }
      prefetch(after: key)
      return Unmanaged<AnyObject>.fromOpaque(retained).takeRetainedValue()
    }

    /// Prefetches the object four keys ahead. Otherwise a loop over consecutive keys waits for each object's memory.
    @inline(__always)
    private func prefetch(after key: Int64) {
      let isNext = key == lastKey &+ 1
      lastKey = key
      if isNext, let next = table.address(at: key &+ 4) { osd_prefetch(next) }
    }

    /// Prefetches an object ahead, if a loop over consecutive keys uses their objects without looking them up.
    package func didUse(_ key: Int64) {
      if let root { return root.didUse(key) }
      guard key == lastKey &+ 1 else {
        lastKey = key
        return
      }
      lock.acquire()
      defer { lock.release() }
      prefetch(after: key)
    }

    @usableFromInline
    package func register(_ address: UnsafeMutableRawPointer, key: Int64) {
      if root != nil { return registerMember(address, key: key) }
      flush()
      lock.acquire()
      defer { lock.release() }
      table.insert(address, at: key)
    }

    /// Adds a decoded object to the pending objects. The caller retains the object until the caller calls ``flush()``.
    @usableFromInline
    package func enqueue(_ address: UnsafeMutableRawPointer, key: Int64) {
      if root != nil { return registerMember(address, key: key) }
      pending.append(address, key: key)
      if pending.isFull { flush() }
    }

    /// Registers an object in the root's map. The row may still have an object of the row's former class.
    private func registerMember(_ address: UnsafeMutableRawPointer, key: Int64) {
      let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
      ownerType.willRegisterMember(object, at: key, in: self)
      rootMap.register(address, key: key)
    }

    /// Moves pending objects into the table.
    @usableFromInline
    @inline(__always)
    package func flush() {
      if !pending.isEmpty { flushPending() }
    }

    private func flushPending() {
      lock.acquire()
      defer { lock.release() }
      pending.drain { address, key in table.insert(address, at: key) }
    }

    /// Clears the entry of a key if its object is deallocating. Otherwise a newer object already uses the key.
    @usableFromInline
    package func forgetDying(at key: Int64) {
      if let root { return root.forgetDying(at: key) }
      lock.acquire()
      defer { lock.release() }
      if let address = table.address(at: key), swift_isDeallocating(address) { table.remove(at: key) }
      if !deletedObjects.isEmpty, let address = deletedObjects[key], swift_isDeallocating(address) {
        forgetDeletedObject(key)
      }
    }

    private func forgetDeletedObject(_ key: Int64) {
      deletedObjects[key] = nil
      // An empty dictionary keeps its capacity, so it is replaced.
      if deletedObjects.isEmpty { deletedObjects = [:] }
    }

    /// Clears the entry of an object that is not pending, unless the key has another object. Any thread may call it.
    package func forget(_ address: UnsafeMutableRawPointer, key: Int64) {
      if let root { return root.forget(address, key: key) }
      lock.acquire()
      defer { lock.release() }
      if table.address(at: key) == address { table.remove(at: key) }
      if !deletedObjects.isEmpty, deletedObjects[key] == address { forgetDeletedObject(key) }
    }

    /// Clears the entry of an object whose row is deleted. If the entity has relationships, ``livingObjects()`` still
    /// lists the object, so that the context's release also clears the object's relationships to others.
    package func unregister(_ object: AnyObject, key: Int64) {
      let address = Unmanaged.passUnretained(object).toOpaque()
      rootMap.flush()
      forget(address, key: key)
      guard entity.hasRelationships else { return }
      rootMap.noteDeleted(address, key: key)
    }

    /// Like ``unregister(_:key:)`` for many objects of a class without relationships, with one acquisition of the lock.
    package func unregister(_ objects: ContiguousArray<AnyObject>, keys: [Int64]) {
      let map = rootMap
      map.flush()
      map.lock.acquire()
      defer { map.lock.release() }
      objects.withUnsafeBytes { bytes in
        for (address, key) in zip(bytes.bindMemory(to: UnsafeMutableRawPointer.self), keys)
        where map.table.address(at: key) == address { map.table.remove(at: key) }
      }
    }

    private func noteDeleted(_ address: UnsafeMutableRawPointer, key: Int64) {
      lock.acquire()
      defer { lock.release() }
      deletedObjects[key] = address
    }

    /// Whether an object of the hierarchy is of this map's class or a subclass.
    func isMember(_ object: AnyObject) -> Bool {
      func isMember<T: PersistentModel>(_ type: T.Type) -> Bool { object is T }
      return ObjectIdentifier(type(of: object)) == ObjectIdentifier(modelType) || isMember(modelType)
    }

    /// The elements of `values` whose keys have a registered object.
    package func registered<Value>(among values: [Int64: Value]) -> [Int64: Value] {
      flush()
      lock.acquire()
      defer { lock.release() }
      return values.filter { table.address(at: $0.key) != nil }
    }

    package var objectCount: Int {
      flush()
      lock.acquire()
      defer { lock.release() }
      return table.count
    }

    /// All registered objects that live.
    package func livingObjects() -> [AnyObject] {
      flush()
      lock.acquire()
      defer { lock.release() }
      return (table.addresses + deletedObjects.values).compactMap { address in
        swift_tryRetain(address).map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
      }
    }
  }
}

extension IdentityMap {
  package func key(of object: AnyObject) -> Int64 {
    func key<T: PersistentModel>(_ type: T.Type) -> Int64 {
      unsafeDowncast(object, to: T.self)._$state.pointee.primaryKey
    }
    return key(modelType)
  }

  package func keys(of objects: ContiguousArray<AnyObject>) -> [Int64] {
    func keys<T: PersistentModel>(_ type: T.Type) -> [Int64] {
      var keys: [Int64] = []
      keys.reserveCapacity(objects.count)
      objects.forEachUnretained(as: T.self) { keys.append($0._$state.pointee.primaryKey) }
      return keys
    }
    return keys(modelType)
  }
}

extension IdentityMap {
  /// Returns a fault (an object that reads its row on first access) for a key. Returns nil if the type cannot be
  /// instantiated before its row is read, if the key is invalid, or if its row was not found.
  func makeFault(for key: Int64, in group: FetchGroup) -> AnyObject? {
    func make<T: PersistentModel>(_ type: T.Type) -> AnyObject? { objectOrFault(for: key, as: type, in: group) }
    guard !entity.isMadeOfItsRow, key != 0, missingKeys.isEmpty || !missingKeys.contains(key) else { return nil }
    return make(modelType)
  }

  /// A fault for a row whose read failed; nil if the type cannot be instantiated before its row is read.
  package func unreadObject<T: PersistentModel>(for key: Int64, as type: T.Type) -> T? {
    entity.isMadeOfItsRow ? nil : objectOrFault(for: key, as: type)
  }

  /// The living object of a key, or a new fault.
  func objectOrFault<T: PersistentModel>(for key: Int64, as type: T.Type, in group: FetchGroup? = nil) -> T? {
    if let known = object(for: key) { return unsafeDowncast(known, to: T.self) }
    let object = NullRowReader.make(type, in: self)
    object._$register(key, in: self, flags: .fault)
    if let group { object._$join(group, key: key) }
    return object
  }
}

// Registration of an object for its row.

extension PersistentModel {
  @inlinable
  package func _$register(_ key: Int64, in map: IdentityMap, flags: ModelState.Flags) {
    _$register(key, in: map, counted: .passRetained(map), flags: flags)
  }

  /// Registers the object for a row, and takes over the caller's reference to the map.
  @inlinable
  func _$register(_ key: Int64, in map: IdentityMap, counted: Unmanaged<IdentityMap>, flags: ModelState.Flags) {
    _$belong(to: map, counted: counted, key: key, flags: flags)
    map.register(Unmanaged.passUnretained(self).toOpaque(), key: key)
  }

  @inlinable
  @inline(__always)
  func _$belong(to map: IdentityMap, counted: Unmanaged<IdentityMap>, key: Int64, flags: ModelState.Flags) {
    _$state.pointee.belong(to: counted, key: key, flags: flags)
    if !Self._$isGenerated { map.keep(self, key: key) }
  }
}

extension ModelState {
  /// Sets the row of the object, and takes over the caller's reference to the map.
  @inlinable
  @inline(__always)
  mutating func belong(to map: Unmanaged<IdentityMap>, key: Int64, flags: Flags) {
    identityMap = map.takeRetainedValue()
    primaryKey = key
    isRegistered = true
    self.flags = flags
  }
}

extension PersistentModel {
  @inlinable
  package func _$join(_ group: FetchGroup, key: Int64) {
    _$join(group, counted: .passRetained(group), key: key)
  }

  /// Adds the object to a fetch group, and takes over the caller's reference to the group.
  @inlinable
  func _$join(_ group: FetchGroup, counted: Unmanaged<FetchGroup>, key: Int64) {
    _$state.pointee.group = counted.takeRetainedValue()
    group.keys.append(key)
  }
}

/// The "second objects" of rows: objects that are not registered, because their row has a registered object. Example:
/// A new object is saved as an update of an existing row (upsert), and the context already has an object of that row.
///
/// A look-up by key does not find a second object, so changes of the row are applied to it through this list. An
/// object stays listed while it represents the row, even if it is the row's only remaining object or is registered
/// later. For the inserting side of the map only.
package struct SecondInstances {
  private struct Reference {
    weak var object: (any PersistentModel)?
  }

  /// The second objects of one row.
  private struct Row {
    private var references: [Reference] = []
    /// When this number of references is reached, deallocated and duplicate ones are removed.
    private var limit = 4

    mutating func add(_ object: any PersistentModel) {
      if references.count >= limit {
        sift()
        limit = max(4, 2 * references.count)
      }
      references.append(Reference(object: object))
    }

    private mutating func sift() {
      var known: Set<ObjectIdentifier> = []
      references.removeAll { reference in
        guard let object = reference.object else { return true }
        return !known.insert(ObjectIdentifier(object)).inserted
      }
    }

    /// The row without deallocated objects; nil if no object remains.
    var sifted: Self? {
      var row = self
      row.sift()
      return row.references.isEmpty ? nil : row
    }

    /// The living objects that still represent the row: their key is unchanged, and they do not wait for an insertion.
    func objects(of key: Int64) -> [any PersistentModel] {
      references.compactMap { $0.object }.filter { object in
        let state = object._$state
        return state.pointee.primaryKey == key && !state.pointee.flags.contains(.inserted)
      }
    }
  }

  private var rows: [Int64: Row] = [:]
  /// When this number of rows is reached, rows without living objects are removed.
  private var limit = 64

  package var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ object: any PersistentModel, key: Int64) {
    if rows.count >= limit {
      rows = rows.compactMapValues { $0.sifted }
      limit = max(64, 2 * rows.count)
    }
    rows[key, default: Row()].add(object)
  }

  /// The second objects of a row.
  func objects(for key: Int64) -> [any PersistentModel] { rows[key]?.objects(of: key) ?? [] }

  /// The second objects of all rows.
  var objects: [any PersistentModel] { rows.flatMap { key, row in row.objects(of: key) } }
}

extension IdentityMap {
  /// The second objects of a row.
  package func secondObjects(ofRow key: Int64) -> [any PersistentModel] {
    // After the undo of a deletion, the row's objects have their key again, but some of them may stay deleted.
    members(of: seconds.objects(for: key)).filter { !$0._$state.pointee.flags.contains(.gone) }
  }

  /// The second objects of all rows, including deleted rows.
  package var secondObjects: [any PersistentModel] { members(of: seconds.objects) }

  /// All living objects that represent or represented a row: registered objects, then second objects.
  package func objectsOfRows() -> [AnyObject] {
    let registered = livingObjects()
    return seconds.isEmpty ? registered : registered + secondObjects.map { $0 as AnyObject }
  }

  private func members(of models: [any PersistentModel]) -> [any PersistentModel] {
    // An object may have left this context for another one, and represent a row with the same key there.
    models.filter { $0._$state.pointee.identityMap?.rootMap === rootMap && isMember($0) }
  }

  /// All objects of a row: the registered object, then second objects.
  package func objects(ofRow key: Int64) -> [any PersistentModel] {
    guard let registered = object(for: key).map(entity.model) else { return secondObjects(ofRow: key) }
    // If a second object was registered later, it is still listed as a second object, too.
    return [registered] + secondObjects(ofRow: key).filter { $0 !== registered }
  }

  /// An object of a row: the registered object, or a second object if the registered object is deallocated.
  package func anyObject(ofRow key: Int64) -> AnyObject? {
    if let registered = object(for: key) { return registered }
    guard !seconds.isEmpty, let second = secondObjects(ofRow: key).first else { return nil }
    return second
  }

  /// The other objects of the row that `object` represents.
  package func otherObjects(ofRowOf object: AnyObject, key: Int64) -> [any PersistentModel] {
    seconds.isEmpty ? [] : objects(ofRow: key).filter { $0 !== object }
  }
}

extension PersistentModel {
  /// Makes the object a second object of a row that has a registered object.
  package func _$becomeSecond(_ key: Int64, in map: IdentityMap, flags: ModelState.Flags) {
    let state = _$state
    state.pointee.withdraw(Unmanaged.passUnretained(self).toOpaque())
    state.pointee.identityMap = map
    state.pointee.primaryKey = key
    state.pointee.flags = flags
    map.seconds.add(self, key: key)
    // The map retains the model, as for registered objects, because the program may retain only the backing data.
    if !Self._$isGenerated { map.keep(self, key: key) }
  }
}

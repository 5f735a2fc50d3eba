import PersistenceSupport
import _CSwiftRuntime

extension _PersistenceRuntime {
  /// The living objects of one entity in one context, by primary key.
  ///
  /// Objects are held unretained, in pages indexed by the key; an object removes its entry when it is deallocated.
  /// Objects retain the map, so that they stay readable after the end of their context. Unsaved changes are in
  /// ``EntityChanges``.
  ///
  /// Any thread may read the constants, and call ``forgetDying(at:)`` and ``forget(_:key:)``, because any thread may
  /// deallocate an object. Everything else belongs to the inserting side: code in the isolation of the context, and
  /// after its end the code that has its objects.
  public final class IdentityMap: @unchecked Sendable {
    // Unchecked: `lock` guards what other threads change. One thread at a time uses the variables of the inserting
    // side, because neither contexts nor models are Sendable.

    // MARK: Constants

    package let entity: EntityLayout
    package let modelType: any PersistentModel.Type
    /// Retained, so that the store stays open for objects that outlive their context.
    package let store: StoreCoordinator
    /// The observation boxes of the context's objects, taken by the inserting side only. Never shared with another
    /// context, whose observers are on another thread.
    package let observation: ObservationPool
    /// The type of the owner, which also answers after the end of the context.
    let ownerType: any MapOwner.Type
    /// The map of the root of the hierarchy, which registers the objects of all classes: a row has one object, whatever
    /// class it is fetched as. Nil for a root, and for entities without inheritance.
    private let root: IdentityMap?

    // MARK: Guarded by the lock

    /// Other threads only remove entries, so the inserting side tests for a free entry without the lock.
    @exclusivity(unchecked) private var table = IdentityTable()
    /// Objects with relationships whose rows were deleted, by their former keys.
    @exclusivity(unchecked) private var deletedObjects: [Int64: UnsafeMutableRawPointer] = [:]
    /// The key of the last look-up.
    @exclusivity(unchecked) private var lastKey: Int64 = 0
    private let lock = Lock(())

    // MARK: For the inserting side alone, without the lock

    /// Living objects that enter the table before the next look-up.
    @exclusivity(unchecked) private var pending = PendingRegistrations()
    /// Unretained, because objects retain the map and may outlive the context. The owner sets nil before it is
    /// deallocated.
    @exclusivity(unchecked) @usableFromInline var storedOwner: Unmanaged<AnyObject>?
    /// The substitute context, in which objects find their related objects after the end of their own.
    package var adopted: AnyObject?
    /// Second objects of rows; the root has those of a hierarchy. Also used after the end of the context: the first
    /// object that finds its row deleted updates the others.
    package var seconds: SecondInstances {
      get { root?.seconds ?? ownSeconds }
      _modify {
        if let root { yield &root.seconds } else { yield &ownSeconds }
      }
    }
    @exclusivity(unchecked) private var ownSeconds = SecondInstances()
    /// Keys to which relationships refer, and which had no row when they were read. A reference to one is looked up when
    /// it is asked for.
    package var missingKeys: Set<Int64> = []
    /// The last read failure that was logged. Also used after the end of the context.
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

    /// The context's changes of the entity, of the type ``ownerType``; nil from the end of the context on. Reading it
    /// retains nothing.
    @inlinable package var owner: Unmanaged<AnyObject>? {
      get { storedOwner }
      set { storedOwner = newValue }
    }

    package var isRoot: Bool { root == nil }
    package var rootMap: IdentityMap { root ?? self }

    /// The living object of a key.
    @usableFromInline
    package func object(for key: Int64) -> AnyObject? {
      if let root { return root.object(for: key).flatMap { isMember($0) ? $0 : nil } }
      flush()
      return lookUp(key)
    }

    /// The living object of a row that is being decoded. Most rows have none, which needs no lock to find out.
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

    /// A loop over consecutive keys waits for the memory of each object unless it is prefetched.
    @inline(__always)
    private func prefetch(after key: Int64) {
      let isNext = key == lastKey &+ 1
      lastKey = key
      if isNext, let next = table.address(at: key &+ 4) { osd_prefetch(next) }
    }

    /// Registers an object for a key.
    @usableFromInline
    package func register(_ address: UnsafeMutableRawPointer, key: Int64) {
      if root != nil { return registerMember(address, key: key) }
      flush()
      lock.acquire()
      defer { lock.release() }
      table.insert(address, at: key)
    }

    /// Registers a decoded object before the next look-up. The caller retains the object until it calls ``flush()``.
    @usableFromInline
    package func enqueue(_ address: UnsafeMutableRawPointer, key: Int64) {
      if root != nil { return registerMember(address, key: key) }
      pending.append(address, key: key)
      if pending.isFull { flush() }
    }

    /// Registers an object of a subclass with the root. The row may have changed its class, and have an object of the
    /// former.
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

    /// Clears the entry only if the stored object is deallocating; a newer object may already use the key.
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
      // An empty dictionary keeps its capacity.
      if deletedObjects.isEmpty { deletedObjects = [:] }
    }

    /// Clears the entry of an object, unless another object has replaced it. Callable on any thread, for an object that
    /// is not pending.
    package func forget(_ address: UnsafeMutableRawPointer, key: Int64) {
      if let root { return root.forget(address, key: key) }
      lock.acquire()
      defer { lock.release() }
      if table.address(at: key) == address { table.remove(at: key) }
      if !deletedObjects.isEmpty, deletedObjects[key] == address { forgetDeletedObject(key) }
    }

    /// Clears the entry of an object whose row is deleted. The object may retain others, so the end of the context
    /// visits it.
    package func unregister(_ object: AnyObject, key: Int64) {
      let address = Unmanaged.passUnretained(object).toOpaque()
      rootMap.flush()
      forget(address, key: key)
      guard entity.hasRelationships else { return }
      rootMap.noteDeleted(address, key: key)
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

    /// The values whose keys have a registered object.
    package func registered<Value>(among values: [Int64: Value]) -> [Int64: Value] {
      flush()
      lock.acquire()
      defer { lock.release() }
      return values.filter { table.address(at: $0.key) != nil }
    }

    /// The number of registered objects.
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

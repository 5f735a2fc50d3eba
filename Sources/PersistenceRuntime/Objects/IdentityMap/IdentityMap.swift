import PersistenceSupport
import _CSwiftRuntime

extension _PersistenceRuntime {
  /// The living objects of one entity in one context, by primary key.
  ///
  /// Objects are held unretained, in pages indexed by the key; an object clears its place when it dies. The map outlives
  /// its context for as long as objects refer to it, which is what keeps those objects readable. What waits to be saved
  /// is not here but in ``EntityChanges``.
  ///
  /// Any thread may read the constants, and call ``forgetDying(at:)`` and ``forget(_:key:)``, because an object may die
  /// on any thread. Only the inserting side may use everything else: the code that may use the context, and after the end
  /// of the context the code that has its objects.
  public final class IdentityMap: @unchecked Sendable {
    // Unchecked: `lock` guards what other threads change. The variables of the inserting side are used by one thread at a
    // time, because neither contexts nor models are Sendable.

    // MARK: Constants

    package let entity: EntityLayout
    package let modelType: any PersistentModel.Type
    /// Keeps the store open for objects that outlive their context.
    package let store: StoreCoordinator
    /// The boxes of the context's objects, which only the inserting side takes: never of another context's, whose
    /// observers are on another thread.
    package let observation: ObservationPool
    /// What answers for the context after its end, too.
    let ownerType: any MapOwner.Type
    /// The map of the root of the hierarchy, which registers the objects of all its classes: a row has one object,
    /// whatever class it is asked for as. Nil for a root, and for entities that inherit nothing.
    private let root: IdentityMap?

    // MARK: Guarded by the lock

    /// Other threads only remove, so the inserting side asks without the lock whether a place is free.
    @exclusivity(unchecked) private var table = IdentityTable()
    /// Objects with relationships whose rows were deleted, by the keys that they had.
    @exclusivity(unchecked) private var deletedObjects: [Int64: UnsafeMutableRawPointer] = [:]
    /// The key that was looked up last.
    @exclusivity(unchecked) private var lastKey: Int64 = 0
    private let lock = Lock(())

    // MARK: For the inserting side alone, without the lock

    /// Living objects that are to be in the table before anybody looks for them.
    @exclusivity(unchecked) private var arrivals = PendingRegistrations()
    /// Unretained, since objects own the map and may outlive the context: the owner sets nil before it goes.
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) var storedOwner: (any MapOwner)?
    @exclusivity(unchecked) @usableFromInline var storedOwnerObject: Unmanaged<AnyObject>?
    /// The context that objects find what they relate to in after the end of their own.
    package var adopted: AnyObject?
    /// Second objects of rows; those of a hierarchy are the root's. Objects that outlive the context need them too: the
    /// first of a row that finds it gone tells the others.
    package var seconds: SecondInstances {
      get { root?.seconds ?? ownSeconds }
      _modify {
        if let root { yield &root.seconds } else { yield &ownSeconds }
      }
    }
    @exclusivity(unchecked) private var ownSeconds = SecondInstances()
    /// Why something could not be read, in the words of the log. Objects that outlive the context read too.
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

    /// What the context has beside the map, until the context ends. Not retained.
    @inlinable package var owner: (any MapOwner)? {
      get { storedOwner }
      set {
        storedOwner = newValue
        storedOwnerObject = newValue.map { Unmanaged.passUnretained($0) }
      }
    }

    /// The same as ``owner``, for who knows its class: reading it retains nothing.
    @inlinable package var ownerObject: Unmanaged<AnyObject>? { storedOwnerObject }

    package var isRoot: Bool { root == nil }
    package var rootMap: IdentityMap { root ?? self }

    /// The living object of a key.
    @usableFromInline
    package func object(for key: Int64) -> AnyObject? {
      if let root { return root.object(for: key).flatMap { isMember($0) ? $0 : nil } }
      settle()
      return lookUp(key)
    }

    /// The living object of a row that is read. Most rows have none, which is found out without the lock.
    @usableFromInline
    package func object(ofRow key: Int64) -> AnyObject? {
      if root != nil || arrivals.contains(key) { return object(for: key) }
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

    /// Whoever looks up one object after the other waits for the memory of each, unless that was asked for in time.
    @inline(__always)
    private func prefetch(after key: Int64) {
      let isNext = key == lastKey &+ 1
      lastKey = key
      if isNext, let next = table.address(at: key &+ 4) { osd_prefetch(next) }
    }

    /// Makes an object the one of its key.
    @usableFromInline
    package func register(_ address: UnsafeMutableRawPointer, key: Int64) {
      if root != nil { return registerMember(address, key: key) }
      settle()
      lock.acquire()
      defer { lock.release() }
      table.insert(address, at: key)
    }

    /// Makes an object that was made of a row the one of its key, by the time that anybody looks for it. The caller holds it
    /// until it calls ``settle()``.
    @usableFromInline
    package func arrive(_ address: UnsafeMutableRawPointer, key: Int64) {
      if root != nil { return registerMember(address, key: key) }
      arrivals.append(address, key: key)
      if arrivals.isFull { settle() }
    }

    /// Registers an object of a subclass with the root. The row may have been of another class, and have an object of it.
    private func registerMember(_ address: UnsafeMutableRawPointer, key: Int64) {
      let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
      ownerType.willRegisterMember(object, at: key, in: self)
      rootMap.register(address, key: key)
    }

    /// Puts the objects that have arrived into the table.
    @usableFromInline
    @inline(__always)
    package func settle() {
      if !arrivals.isEmpty { settleArrivals() }
    }

    private func settleArrivals() {
      lock.acquire()
      defer { lock.release() }
      arrivals.drain { address, key in table.insert(address, at: key) }
    }

    /// Clears the place of an object that dies, unless another has taken it since. The object need not say where it is: the
    /// places of a key that are left to be cleared are those of dying objects, and none of these can be asked for any more.
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
      // A dictionary keeps the memory for as many as there ever were.
      if deletedObjects.isEmpty { deletedObjects = [:] }
    }

    /// Clears the place of an object, unless another has taken it since. On any thread, of an object that does not wait to be
    /// put into the table.
    package func forget(_ address: UnsafeMutableRawPointer, key: Int64) {
      if let root { return root.forget(address, key: key) }
      lock.acquire()
      defer { lock.release() }
      if table.address(at: key) == address { table.remove(at: key) }
      if !deletedObjects.isEmpty, deletedObjects[key] == address { forgetDeletedObject(key) }
    }

    /// Clears the place of an object whose row is deleted. It may still hold others, so it is let go with the context.
    package func unregister(_ object: AnyObject, key: Int64) {
      let address = Unmanaged.passUnretained(object).toOpaque()
      rootMap.settle()
      forget(address, key: key)
      guard entity.hasRelationships else { return }
      rootMap.noteDeleted(address, key: key)
    }

    private func noteDeleted(_ address: UnsafeMutableRawPointer, key: Int64) {
      lock.acquire()
      defer { lock.release() }
      deletedObjects[key] = address
    }

    /// Whether an object of the hierarchy is of the class of this map, or of a subclass.
    func isMember(_ object: AnyObject) -> Bool {
      func isMember<T: PersistentModel>(_ type: T.Type) -> Bool { object is T }
      return ObjectIdentifier(type(of: object)) == ObjectIdentifier(modelType) || isMember(modelType)
    }

    /// Those of some values by key whose keys have objects.
    package func registered<Value>(among values: [Int64: Value]) -> [Int64: Value] {
      settle()
      lock.acquire()
      defer { lock.release() }
      return values.filter { table.address(at: $0.key) != nil }
    }

    /// How many objects are registered.
    package var objectCount: Int {
      settle()
      lock.acquire()
      defer { lock.release() }
      return table.count
    }

    /// Every object that is registered and lives.
    package func livingObjects() -> [AnyObject] {
      settle()
      lock.acquire()
      defer { lock.release() }
      return (table.addresses + deletedObjects.values).compactMap { address in
        swift_tryRetain(address).map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
      }
    }
  }
}

import CSwiftRuntime

/// The living objects of one entity in one context, by primary key, and which of them have changes to save.
///
/// Objects are held unretained, in pages indexed by the key; an object clears its place when it dies. The map outlives
/// its context for as long as objects refer to it, which is what keeps those objects readable.
public final class IdentityMap: @unchecked Sendable {
  // Unchecked: `table` and `departed` are guarded by `lock`, because an object may die on any thread; that a place of the
  // table is free is asked without it, which the table allows. Everything else is used only by whoever may use the
  // context, which is not Sendable.

  package let entity: EntityLayout
  let modelType: any PersistentModel.Type
  /// Keeps the store open for objects that outlive their context.
  package let store: StoreCoordinator
  /// The context, until it goes.
  package private(set) unowned(unsafe) var context: ModelContext?
  @exclusivity(unchecked) private var table = IdentityTable()
  /// Objects with relationships whose rows were deleted, by the keys that they had; guarded like the table.
  @exclusivity(unchecked) private var departed: [Int64: UnsafeMutableRawPointer] = [:]
  /// The key that was looked up last; guarded like the table.
  @exclusivity(unchecked) private var lastKey: Int64 = 0
  private let lock = Lock(())
  /// Living objects that are to be in the table before anybody looks for them.
  @exclusivity(unchecked) private var arrivals = IdentityArrivals()

  // Only the context's own code changes the lists, one call at a time.

  /// Objects that the next save inserts; those that were taken back carry no flag.
  @exclusivity(unchecked) package var inserted: ContiguousArray<AnyObject> = []
  /// The objects of ``inserted`` whose identity somebody has asked for, by that.
  @exclusivity(unchecked) var unsaved: [ObjectIdentifier: AnyObject] = [:]
  /// Second objects of rows; those of a hierarchy are the root's.
  @exclusivity(unchecked) private var ownSeconds = SecondInstances()
  var seconds: SecondInstances {
    get { root?.seconds ?? ownSeconds }
    _modify {
      if let root { yield &root.seconds } else { yield &ownSeconds }
    }
  }
  /// Objects that the next save updates; those that were taken back carry no flag.
  @exclusivity(unchecked) package var changed: ContiguousArray<AnyObject> = []
  /// Objects that the next save deletes; those that were taken back carry no flag.
  @exclusivity(unchecked) package var deleted: ContiguousArray<AnyObject> = []
  /// What the changed properties were before.
  @exclusivity(unchecked) var originals = OriginalValues()
  /// The keys of rows that the next save deletes without there being objects of them.
  var swept: Set<Int64> {
    get { root?.swept ?? ownSwept }
    _modify {
      if let root { yield &root.swept } else { yield &ownSwept }
    }
  }
  private(set) var ownSwept: Set<Int64> = []
  /// Where objects stand in to-many relationships that do not stand where their keys put them, by the position of the
  /// property that refers to the owner, and by key.
  var listPositions: [Int: [Int64: Double]] {
    get { root?.listPositions ?? ownListPositions }
    _modify {
      if let root { yield &root.listPositions } else { yield &ownListPositions }
    }
  }
  private var ownListPositions: [Int: [Int64: Double]] = [:]
  /// How many places there may be before those of objects that are gone are forgotten.
  private var placeLimit = 1_024
  private var handWritten = HandWrittenModels()
  private var adopted: ModelContext?
  /// The boxes of the context's objects: never of another context's, whose observers are on another thread.
  let observation: ObservationPool
  /// Why something could not be read, in the words of the log.
  var loggedReadFailure: String?
  /// How many objects were taken back from the lists, which have to be sifted then.
  var takenBackCount = 0
  /// The map of the root of the hierarchy, which registers the objects of all its classes: a row has one object, whatever
  /// class it is asked for as. Nil for a root, and for entities that inherit nothing.
  private let root: IdentityMap?

  init(entity: EntityLayout, store: StoreCoordinator, context: ModelContext, root: IdentityMap? = nil) {
    self.root = root
    self.entity = entity
    self.modelType = entity.modelType
    self.store = store
    self.context = context
    self.observation = context.observation
  }

  func closeContext() {
    context = nil
  }

  /// Cuts the map off from a context that is going.
  ///
  /// Objects that were never saved become their own again. Those that live on let go of the objects that they relate to:
  /// a graph whose objects hold each other would never be freed, and would keep the store open. What they relate to is
  /// read again when it is asked for.
  func detach() {
    context = nil
    settle()
    letGo(of: inserted, as: entity.modelType)
    inserted = []
    unsaved = [:]
    changed = []
    deleted = []
    // Of a hierarchy the root's map does, for the objects of all classes.
    if root == nil, entity.hasRelationshipsInFamily { releaseRelationships(as: entity.modelType) }
    // Last, and out of the table: backing data may outlive a model that dies with its context.
    for (key, model) in handWritten.takeAll() {
      forget(model.toOpaque(), key: key)
      model.release()
    }
  }

  private func letGo<T: PersistentModel>(of objects: ContiguousArray<AnyObject>, as type: T.Type) {
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      if model._$state.pointee.identityMap === self, model._$isAdrift { model._$becomeNew() }
    }
  }

  private func releaseRelationships<T: PersistentModel>(as type: T.Type) {
    EmptyRow.releaseRelationships(of: objectsOfRows().lazy.map { unsafeDowncast($0, to: T.self) }, in: self)
  }

  /// The context in which objects of a context that is gone find what they relate to.
  func adoptiveContext() -> ModelContext {
    if let adopted { return adopted }
    let types = store.layouts.map(\.modelType)
    let stores = ContainerStores(
      schema: ContainerSchema(types), modelTypes: types, stores: [store], logger: store.logger)
    let context = ModelContext(stores: stores)
    adopted = context
    return context
  }

  var isRoot: Bool { root == nil }
  var rootMap: IdentityMap { root ?? self }

  /// Keeps a model that is written by hand for as long as anybody may use it through its backing data.
  @usableFromInline
  package func keep(_ object: AnyObject, key: Int64) {
    // Their backing data takes them out of the table.
    for model in keepByHand(object, key: key, as: modelType) { model.release() }
  }

  private func keepByHand<T: PersistentModel>(
    _ object: AnyObject, key: Int64, as type: T.Type
  ) -> [Unmanaged<AnyObject>] {
    handWritten.keep(object, key: key, as: type)
  }

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
    if !departed.isEmpty, let address = departed[key], swift_isDeallocating(address) { forgetDeparted(key) }
  }

  private func forgetDeparted(_ key: Int64) {
    departed[key] = nil
    // A dictionary keeps the memory for as many as there ever were.
    if departed.isEmpty { departed = [:] }
  }

  /// Clears the place of an object, unless another has taken it since. On any thread, of an object that does not wait to be
  /// put into the table.
  package func forget(_ address: UnsafeMutableRawPointer, key: Int64) {
    if let root { return root.forget(address, key: key) }
    lock.acquire()
    defer { lock.release() }
    if table.address(at: key) == address { table.remove(at: key) }
    if !departed.isEmpty, departed[key] == address { forgetDeparted(key) }
  }

  /// Clears the place of an object whose row is deleted. It may still hold others, so it is let go with the context.
  func depart(_ object: AnyObject, key: Int64) {
    let address = Unmanaged.passUnretained(object).toOpaque()
    rootMap.settle()
    forget(address, key: key)
    guard entity.hasRelationships else { return }
    rootMap.noteDeparted(address, key: key)
  }

  private func noteDeparted(_ address: UnsafeMutableRawPointer, key: Int64) {
    lock.acquire()
    defer { lock.release() }
    departed[key] = address
  }

  /// Whether an object of the hierarchy is of the class of this map, or of a subclass.
  func isMember(_ object: AnyObject) -> Bool {
    func isMember<T: PersistentModel>(_ type: T.Type) -> Bool { object is T }
    return ObjectIdentifier(type(of: object)) == ObjectIdentifier(modelType) || isMember(modelType)
  }

  /// Forgets the places in lists of objects that are gone, once there are many: where a list is loaded its objects are
  /// alive, and where it is loaded again so are their places.
  func forgetPlacesOfTheGone() {
    if let root { return root.forgetPlacesOfTheGone() }
    let count = ownListPositions.values.reduce(0) { $0 + $1.count }
    guard count > placeLimit else { return }
    settle()
    lock.acquire()
    defer { lock.release() }
    for (position, places) in ownListPositions {
      ownListPositions[position] = places.filter { table.address(at: $0.key) != nil }
    }
    placeLimit = max(1_024, 2 * ownListPositions.values.reduce(0) { $0 + $1.count })
  }

  /// How many objects are registered.
  var objectCount: Int {
    settle()
    lock.acquire()
    defer { lock.release() }
    return table.count
  }

  /// Every object that is registered and lives.
  func livingObjects() -> [AnyObject] {
    settle()
    lock.acquire()
    defer { lock.release() }
    return (table.addresses + departed.values).compactMap { address in
      swift_tryRetain(address).map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
    }
  }
}

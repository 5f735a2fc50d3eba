import CSwiftRuntime

/// The living objects of one entity in one context, by primary key, and which of them have changes to save.
///
/// Objects are held unretained, in pages indexed by the key; an object clears its place when it dies. The map outlives
/// its context for as long as objects refer to it, which is what keeps those objects readable.
public final class IdentityMap: @unchecked Sendable {
  // Unchecked: `table` is guarded by `lock`, because an object may die on any thread. Everything else is used only by
  // whoever may use the context, which is not Sendable.

  package let entity: EntityLayout
  /// Keeps the store open for objects that outlive their context.
  package let store: StoreCoordinator
  /// The context, until it goes.
  package private(set) unowned(unsafe) var context: ModelContext?
  @exclusivity(unchecked) private var table = IdentityTable()
  private let lock = SpinLock()

  // Only the context's own code changes the lists, one call at a time.

  /// Objects that the next save inserts; those that were taken back carry no flag.
  @exclusivity(unchecked) package var inserted: ContiguousArray<AnyObject> = []
  /// Objects that the next save updates; those that were taken back carry no flag.
  @exclusivity(unchecked) package var changed: ContiguousArray<AnyObject> = []
  /// Objects that the next save deletes; those that were taken back carry no flag.
  @exclusivity(unchecked) package var deleted: ContiguousArray<AnyObject> = []
  /// Whether an object was taken back from a list, so that the lists have to be sifted.
  package var hasTakenBack = false

  init(entity: EntityLayout, store: StoreCoordinator, context: ModelContext) {
    self.entity = entity
    self.store = store
    self.context = context
  }

  func closeContext() {
    context = nil
  }

  /// Cuts the map off from a context that is going.
  func detach() {
    context = nil
    inserted = []
    changed = []
    deleted = []
  }

  /// The living object of a key.
  @usableFromInline
  package func object(for key: Int64) -> AnyObject? {
    lock.acquire()
    defer { lock.release() }
    guard let address = table.address(at: key), let retained = swift_tryRetain(address) else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(retained).takeRetainedValue()
  }

  /// Makes an object the one of its key.
  @usableFromInline
  package func register(_ address: UnsafeMutableRawPointer, key: Int64) {
    lock.acquire()
    defer { lock.release() }
    table.insert(address, at: key)
  }

  /// Clears the place of an object that dies, unless another has taken it since.
  @usableFromInline
  package func forget(_ address: UnsafeMutableRawPointer, key: Int64) {
    lock.acquire()
    defer { lock.release() }
    if table.address(at: key) == address { table.remove(at: key) }
  }
}

import PersistenceSupport

extension _PersistenceRuntime {
  /// What every model carries beside its slots.
  ///
  /// It is stored inline in the object. It keeps the identity map that the object is registered in alive, and tells it
  /// when the object dies.
  @frozen
  public struct ModelState: ~Copyable {
    // Every object has one: each field more is a cache line more that walking through many objects loads.

    /// The identity map that the object belongs to; nil before it is inserted.
    @usableFromInline package var identityMap: IdentityMap?
    /// The key of the row; 0 until the object is saved for the first time.
    @usableFromInline package var primaryKey: Int64 = 0
    /// The properties that differ from the row, as a ``PropertyMask``.
    @usableFromInline package var dirty: UInt64 = 0
    /// The ``FetchGroup``, or where there are ``ModelExtras`` these, which hold the group then.
    @usableFromInline var companion: AnyObject?
    @usableFromInline package var flags: Flags
    /// Whether the companion is ``ModelExtras``.
    @usableFromInline package var hasExtras = false
    /// Whether an observer has read a property; then the extras have a box.
    @usableFromInline package var isObserved = false
    /// Whether the identity map finds the object by its key.
    @usableFromInline package var isRegistered = false
    /// Whether there are properties that could not be read, which the extras list.
    @usableFromInline package var hasFailedReads = false

    @inlinable
    public init() {
      // An object that is made by user code while another one is being decoded skips its defaults too; it must make up
      // for them when it is first read.
      flags = _PersistenceRuntime._$isDecoding() ? .lacksDefaults : []
    }

    deinit {
      if isRegistered, let identityMap { identityMap.forgetDying(at: primaryKey) }
    }

    /// Takes the object at an address out of the identity map.
    package mutating func withdraw(_ address: UnsafeMutableRawPointer) {
      if isRegistered, let identityMap { identityMap.forget(address, key: primaryKey) }
      isRegistered = false
    }

    /// Makes the object one that was never inserted.
    package mutating func becomeNew(_ object: AnyObject) {
      identityMap?.settle()
      withdraw(Unmanaged.passUnretained(object).toOpaque())
      noteLeaving()
      identityMap = nil
      primaryKey = 0
      dirty = 0
      flags = []
      group = nil
      hasFailedReads = false
      extras?.failedReads = []
    }

    @frozen
    @usableFromInline
    package struct Flags: OptionSet, Sendable {
      @usableFromInline package var rawValue: UInt32

      @inlinable
      package init(rawValue: UInt32) { self.rawValue = rawValue }

      /// Waits to be inserted by the next save.
      @usableFromInline package static var inserted: Flags { Flags(rawValue: 1) }
      /// Waits to be deleted by the next save.
      @usableFromInline package static var deleted: Flags { Flags(rawValue: 2) }
      /// Is in the context's list of changed objects.
      @usableFromInline package static var changed: Flags { Flags(rawValue: 4) }
      /// Has no row any more.
      @usableFromInline package static var gone: Flags { Flags(rawValue: 8) }
      /// Was made without the defaults of its properties.
      @usableFromInline package static var lacksDefaults: Flags { Flags(rawValue: 16) }
      /// Has slots that wait for the row.
      @usableFromInline package static var fault: Flags { Flags(rawValue: 32) }
      /// Is in the list of what a running transaction has touched.
      @usableFromInline package static var touched: Flags { Flags(rawValue: 64) }
      /// Has relationships that an initialiser set, and whose other ends do not know of them yet.
      @usableFromInline package static var unlinked: Flags { Flags(rawValue: 128) }
      /// Came into its context because it was related to an object there, and not because somebody inserted it.
      @usableFromInline package static var joined: Flags { Flags(rawValue: 512) }
      /// Was related by its initialiser to an object that is in a context.
      @usableFromInline package static var reaching: Flags { Flags(rawValue: 1024) }
      /// Has no row any more because others deleted it.
      @usableFromInline package static var lost: Flags { Flags(rawValue: 2048) }
      /// From this bit on, a bit for each property that an initialiser has to set and has set.
      @usableFromInline package static var firstRequired: UInt32 { 12 }
      /// Has to-many relationships from which objects are still to be taken out.
      @usableFromInline package static var stale: Flags { Flags(rawValue: 256) }
    }
  }
}

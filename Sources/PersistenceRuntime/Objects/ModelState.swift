import PersistenceSupport

extension _PersistenceRuntime {
  /// The state of a model beside its slots, stored inline.
  ///
  /// It retains the identity map in which the object is registered, and unregisters the object on deallocation.
  @frozen
  public struct ModelState: ~Copyable {
    // Every object has one: keep it small, since iterating over many objects loads it.

    /// The object's identity map; nil before the insertion.
    @usableFromInline package var identityMap: IdentityMap?
    /// The key of the row; 0 before the first save.
    @usableFromInline package var primaryKey: Int64 = 0
    /// The properties that differ from the row, as a ``PropertyMask``.
    @usableFromInline package var dirty: UInt64 = 0
    /// The ``FetchGroup``, or the ``ModelExtras`` that then hold the group.
    @usableFromInline var companion: AnyObject?
    @usableFromInline package var flags: Flags
    /// Whether ``companion`` is ``ModelExtras``.
    @usableFromInline package var hasExtras = false
    /// Whether an observer has read a property; if so, the extras have a registrar.
    @usableFromInline package var isObserved = false
    /// Whether the identity map has the object under its key.
    @usableFromInline package var isRegistered = false
    /// Whether reads of properties failed; the extras list them.
    @usableFromInline package var hasFailedReads = false

    @inlinable
    public init() {
      // An object that user code creates during decoding skips its defaults, too. Its first read computes them.
      flags = _PersistenceRuntime._$isDecoding() ? .lacksDefaults : []
    }

    deinit {
      if isRegistered, let identityMap { identityMap.forgetDying(at: primaryKey) }
    }

    /// Removes the object at an address from the identity map.
    package mutating func withdraw(_ address: UnsafeMutableRawPointer) {
      if isRegistered, let identityMap { identityMap.forget(address, key: primaryKey) }
      isRegistered = false
    }

    /// Resets the object to one that was never inserted.
    package mutating func becomeNew(_ object: AnyObject) {
      identityMap?.flush()
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

      /// The next save inserts it.
      @usableFromInline package static var inserted: Flags { Flags(rawValue: 1) }
      /// The next save deletes it.
      @usableFromInline package static var deleted: Flags { Flags(rawValue: 2) }
      /// The context lists it as changed.
      @usableFromInline package static var changed: Flags { Flags(rawValue: 4) }
      /// Its row is deleted.
      @usableFromInline package static var gone: Flags { Flags(rawValue: 8) }
      /// Created without the defaults of its properties.
      @usableFromInline package static var lacksDefaults: Flags { Flags(rawValue: 16) }
      /// Has slots that are not loaded.
      @usableFromInline package static var fault: Flags { Flags(rawValue: 32) }
      /// The running transaction has changed it.
      @usableFromInline package static var touched: Flags { Flags(rawValue: 64) }
      /// Its initialiser set relationships whose inverses are not updated yet.
      @usableFromInline package static var unlinked: Flags { Flags(rawValue: 128) }
      /// Inserted because an object of the context refers to it, not by a call.
      @usableFromInline package static var joined: Flags { Flags(rawValue: 512) }
      /// Its initialiser related it to an object of a context.
      @usableFromInline package static var reaching: Flags { Flags(rawValue: 1024) }
      /// Another context or process deleted its row.
      @usableFromInline package static var lost: Flags { Flags(rawValue: 2048) }
      /// The first of one bit for each property that an initialiser must set; the bit means that it is set.
      @usableFromInline package static var firstRequired: UInt32 { 12 }
      /// Has to-many relationships from which objects are still to be removed.
      @usableFromInline package static var stale: Flags { Flags(rawValue: 256) }
    }
  }
}

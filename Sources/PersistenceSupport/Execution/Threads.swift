import Foundation
import Observation
import Synchronization
import _CSwiftRuntime

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A mutex and the value that it guards, with the interface of Swift's `Mutex`.
///
/// On Linux `Mutex` makes its own futex calls. ThreadSanitizer does not intercept them, so it reports every guarded
/// value as a race. ThreadSanitizer intercepts POSIX mutexes on every platform. An uncontended lock costs the same as a
/// `Mutex`. A waiting thread sleeps instead of spinning, so the owner can run regardless of the priorities.
///
/// Not recursive. Release no object under the lock whose `deinit` could acquire it again: that deadlocks.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    // Unsafe pointers: a POSIX mutex must not move, which only heap memory guarantees. Mutex and value share one
    // allocation, which only `init` and `deinit` create and free.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Creates an unlocked lock.
    @inlinable
    package init(_ initialValue: consuming sending Value) {
      let alignment = max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
      let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
      mutex = memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
      value.initialize(to: initialValue)
    }

    // Inlinable, so that specialised code destroys the value, because the token of every new object has a lock.
    @inlinable
    deinit {
      value.deinitialize(count: 1)
      pthread_mutex_destroy(mutex)
      UnsafeMutableRawPointer(mutex).deallocate()
    }

    /// Runs a block with exclusive access to the value. Blocks until the lock is free.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  #else
    @usableFromInline let mutex: Mutex<Value>

    /// Creates an unlocked lock.
    @inlinable
    package init(_ initialValue: consuming sending Value) {
      mutex = Mutex(initialValue)
    }

    /// Runs a block with exclusive access to the value. Blocks until the lock is free.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  #endif
}

// Unchecked: the value is `sending` on initialisation, and only the thread that holds the mutex accesses it.
extension Lock: @unchecked Sendable where Value: ~Copyable {}

/// A lock without a value, for code that also reads the guarded variables without the lock.
extension Lock where Value == Void {
  /// Blocks until the lock is free and acquires it. Every path must call ``release()``.
  @inlinable
  @inline(__always)
  package borrowing func acquire() {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      pthread_mutex_lock(mutex)
    #else
      mutex._unsafeLock()
    #endif
  }

  @inlinable
  @inline(__always)
  package borrowing func release() {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      pthread_mutex_unlock(mutex)
    #else
      mutex._unsafeUnlock()
    #endif
  }
}

/// Holds one object that is created on first access and lives as long as the box.
///
/// The box does not name the object's type, so its owner can hold an object of a module that it does not import. An
/// access is one atomic load without reference counting; `AtomicLazyReference` would retain.
@usableFromInline
package struct LazyBox: ~Copyable, Sendable {
  /// The address of the object; 0 before the first access. The box owns the object, so the address stays the same.
  @usableFromInline let address = Atomic<UInt>(0)

  package init() {}

  deinit {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return }
    Unmanaged<AnyObject>.fromOpaque(pointer).release()
  }

  /// The object, valid only while the box lives. Every call on one box must use the same type.
  ///
  /// - Parameter make: Creates the object. Concurrent first calls may each create one; all return the one stored first.
  @inlinable
  @inline(__always)
  package borrowing func object<Object: AnyObject & Sendable>(make: () -> Object) -> Unmanaged<Object> {
    if let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
      return Unmanaged<Object>.fromOpaque(pointer)
    }
    return store(make())
  }

  /// Stores an object unless another thread stored one first. Returns the stored object.
  @usableFromInline
  @inline(never)
  borrowing func store<Object: AnyObject & Sendable>(_ object: Object) -> Unmanaged<Object> {
    let own = Unmanaged.passRetained(object)
    let (isStored, other) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: own.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isStored, let pointer = UnsafeRawPointer(bitPattern: other) else { return own }
    own.release()
    return Unmanaged<Object>.fromOpaque(pointer)
  }
}

/// Carries a non-Sendable value into another isolation region.
///
/// Unchecked: it is created only from `sending` values, which no other code can access, and its value is read once.
@usableFromInline
package struct Transfer<Value>: @unchecked Sendable {
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }
}

/// The identity of a thread while it runs.
package struct ThreadIdentity: Hashable, Sendable {
  private let value: UInt

  /// The running thread.
  package static var current: ThreadIdentity {
    #if canImport(Darwin)
      ThreadIdentity(value: UInt(bitPattern: pthread_self()))
    #else
      ThreadIdentity(value: UInt(pthread_self()))
    #endif
  }
}

/// The main dispatch queue. The initial thread need not be the thread that serves it.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

  /// Whether the caller runs on the main actor's thread: on the main queue, or on the initial thread before it serves
  /// the queue.
  package static var isRunningHere: Bool { isCurrent || Thread.isMainThread }
}

/// Serialises the posts of notifications by threads.
///
/// The mutex of Foundation's notification centre is handed to a waiting thread. Once two threads have contended for it,
/// every post waits until another thread has been woken: with eight threads that save at once, this took half of the
/// time of a save. Serialised posts never wait for this mutex.
package enum NotificationTurn {
  private static let isTaken = Atomic<Bool>(false)
  /// How often a thread yields before it posts concurrently, because an observer may take long or save itself.
  private static let patience = 32

  /// Posts a notification with the default centre, on this thread.
  package static func post(_ notification: Notification) {
    let isOwn = take()
    NotificationCenter.default.post(notification)
    if isOwn { isTaken.store(false, ordering: .releasing) }
  }

  private static func take() -> Bool {
    for _ in 0..<patience {
      if isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged { return true }
      sched_yield()
    }
    return false
  }
}

extension _PersistenceRuntime {
  /// Whether this thread is creating an object from a row, so that property defaults need not be computed.
  ///
  /// Generated code calls it in the initial value of every slot.
  @inlinable
  public static func _$isDecoding() -> Bool {
    osd_is_decoding()
  }

  /// Marks the next initialiser call on this thread as a call that creates an object from a row.
  @inlinable
  public static func _$beginDecoding() {
    osd_set_decoding(true)
  }
}

/// Detects whether an observer tracks the reads of this thread.
///
/// Observation has no query for this, and reporting every read would create a registrar for every object that is read.
/// Instead the probe reports one read to its own registrar, with a key path that records whether it is hashed. Active
/// tracking hashes the key path; otherwise it is never hashed. Objects report reads only while tracking is active.
///
/// Each thread has its own probe: tracking is per thread, and the query then needs no access to the object.
final class TrackingProbe {
  private let registrar = ObservationRegistrar()
  private let subject = ProbeSubject()
  private let keyPath: KeyPath<ProbeSubject, Int> = \ProbeSubject.[ProbeMark()]
  private let notices: Bool
  /// Whether observers are registered for changes of the probe. They stay registered, because the probe never changes.
  @exclusivity(unchecked) private var isObserved = false

  private init(notices: Bool) {
    self.notices = notices
  }

  /// Whether reads are tracked, or this probe cannot determine it. Releases no object.
  fileprivate func suspectsTracking() -> Bool {
    registrar.access(subject, keyPath: keyPath)
    if osd_take_probe_note() { isObserved = true }
    return isObserved || !notices
  }

  /// Whether reads are tracked. Replaces a probe that has stale observers.
  fileprivate func isTracked() -> Bool {
    registrar.access(subject, keyPath: keyPath)
    if osd_take_probe_note() {
      isObserved = true
      return true
    }
    if isObserved { Self.makeProbe() }
    return !notices
  }

  /// Gives this thread a new probe. The former probe is released, and with it its registrar and all stale
  /// registrations. Their observers have finished tracking: they only wait for a change of the probe.
  @inline(never) @discardableResult
  fileprivate static func makeProbe() -> TrackingProbe {
    let probe = TrackingProbe(notices: noticesTracking)
    osd_set_thread_probe(Unmanaged.passRetained(probe).toOpaque())
    return probe
  }

  /// Whether this system's Observation library hashes the key paths that are read under tracking. If it does not, every
  /// read counts as tracked, which is slower but correct.
  private static let noticesTracking = detectsTracking()

  /// Tests the library. The caller's reads may be tracked, which is often true for a program's first read. So the test
  /// queries only under its own tracking. A library that hashes without tracking too makes all reads count as tracked.
  static func detectsTracking() -> Bool {
    let probe = TrackingProbe(notices: true)
    var isNoticed = false
    withObservationTracking({ isNoticed = probe.isTracked() }, onChange: {})
    // Registering for changes, which happens after the last read, also hashes the key path.
    _ = osd_take_probe_note()
    return isNoticed
  }
}

/// Whether this thread's reads may be tracked: always true under tracking, and sometimes true without tracking.
/// ``confirmTracking()`` determines it exactly, and may have side effects.
///
/// `releasenone` promises the optimiser that no reference count visible to other code decreases. So a loop that reads
/// objects need not retain each object meanwhile. This query only adds an entry to the active access list. In contrast,
/// ``confirmTracking()`` may create a probe and release one with stale observers; it makes no such promise.
@usableFromInline
@_effects(releasenone)
package func isReadingTracked() -> Bool {
  guard let address = osd_thread_probe() else { return true }
  return Unmanaged<TrackingProbe>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.suspectsTracking() }
}

/// Whether this thread's reads are tracked. Call it only after ``isReadingTracked()`` returned true.
package func confirmTracking() -> Bool {
  guard let address = osd_thread_probe() else { return TrackingProbe.makeProbe().isTracked() }
  // The probe is retained, because the call may replace the thread's probe.
  return Unmanaged<TrackingProbe>.fromOpaque(address).takeUnretainedValue().isTracked()
}

/// The object whose property the probe reports as read.
private final class ProbeSubject: Observable {
  subscript(_: ProbeMark) -> Int { 0 }
}

/// A key path component that records on its thread that it was hashed.
private struct ProbeMark: Hashable {
  func hash(into hasher: inout Hasher) {
    osd_note_probe()
  }
}

/// An observation registrar on the heap.
///
/// A registrar is never stored inline in a model: it is a resilient struct, so every property access would have to look
/// up its layout, and creating it takes longer than decoding a row.
@usableFromInline
package final class ObservationBox {
  @usableFromInline package let registrar = ObservationRegistrar()
  /// Whether observers were notified of the change in progress. Until the value changes, further changes notify no
  /// observer. It applies to all properties and models of the box, because no code of the program runs until then.
  @usableFromInline package var isAnnounced = false

  package init() { osd_note_observer() }
}

/// The observation boxes of a context's models.
///
/// The first 1,024 observed models have a box each; later ones share boxes. Sharing can notify an observer of a change
/// of a same-named property of another model; it never misses a change. Only models of one context share a box. A
/// context is used in one isolation domain, so an observer is never notified on a thread of another isolation domain.
///
/// The pool lives as long as any model of its context.
@usableFromInline
package final class ObservationPool {
  private static let capacity = 1024
  private var boxes: ContiguousArray<ObservationBox> = []
  private var next = 0

  package init() {}

  package func take() -> ObservationBox {
    let position = next
    next = position + 1 == Self.capacity ? 0 : position + 1
    if position == boxes.count { boxes.append(ObservationBox()) }
    return boxes[position]
  }
}

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
/// On Linux, `Mutex` makes its own futex calls. ThreadSanitizer does not intercept them, so it reports a race for every
/// guarded value. It does intercept POSIX mutexes on every platform. An uncontended lock costs the same as a `Mutex`. A
/// waiting thread sleeps instead of spinning, so the owner of the lock can run regardless of the threads' priorities.
///
/// The lock is not recursive. Release no object under the lock if its `deinit` may acquire the lock: it would deadlock.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    // Unsafe pointers: a POSIX mutex must not be moved, which only heap memory guarantees. The mutex and the value are
    // in one allocation, which only `init` and `deinit` create and free.
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

    // Inlinable, so that the value is destroyed by specialised code: the identifier of every new object has a lock.
    @inlinable
    deinit {
      value.deinitialize(count: 1)
      pthread_mutex_destroy(mutex)
      UnsafeMutableRawPointer(mutex).deallocate()
    }

    /// Runs a block with exclusive access to the value. Blocks while another thread holds the lock.
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

    /// Runs a block with exclusive access to the value. Blocks while another thread holds the lock.
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

/// A lock without a value, for code that reads the guarded variables in some cases without the lock.
extension Lock where Value == Void {
  /// Acquires the lock. Blocks while another thread holds it. The caller must then call ``release()`` on every path.
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

/// Owns one object, which is created at the first access and lives as long as the box.
///
/// The box does not name the object's type, so the object may belong to a module that the owner of the box does not
/// import. An access is one atomic load without reference counting; `AtomicLazyReference` would retain the object.
@usableFromInline
package struct LazyBox: ~Copyable, Sendable {
  /// The address of the object; 0 before the first access. The box retains the object, so the address never changes.
  @usableFromInline let address = Atomic<UInt>(0)

  package init() {}

  deinit {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return }
    Unmanaged<AnyObject>.fromOpaque(pointer).release()
  }

  /// The object. It is valid only while the box lives. All calls on a box must use the same type.
  ///
  /// - Parameter make: Creates the object. Concurrent calls may each create an object, but all return the same one.
  @inlinable
  @inline(__always)
  package borrowing func object<Object: AnyObject & Sendable>(make: () -> Object) -> Unmanaged<Object> {
    if let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
      return Unmanaged<Object>.fromOpaque(pointer)
    }
    return store(make())
  }

  /// Stores the object, unless another thread has stored one before. Returns the stored object.
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

/// Passes a value that is not Sendable into another isolation region.
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

/// Identifies a thread as long as the thread runs.
package struct ThreadIdentity: Hashable, Sendable {
  private let value: UInt

  /// The calling thread.
  package static var current: ThreadIdentity {
    #if canImport(Darwin)
      ThreadIdentity(value: UInt(bitPattern: pthread_self()))
    #else
      ThreadIdentity(value: UInt(pthread_self()))
    #endif
  }
}

/// The main dispatch queue. The thread that serves the queue need not be the initial thread of the process.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

  /// Whether the caller runs on the main actor's thread: the thread that serves the main queue or, before any does, the
  /// initial thread of the process.
  package static var isRunningHere: Bool { isCurrent || Thread.isMainThread }
}

/// Lets only one thread at a time post a notification.
///
/// Foundation's notification centre has a mutex. A thread that releases it hands it over to a waiting thread. Once two
/// threads have contended for it, every post waits until another thread has woken up. With eight threads that save at
/// the same time, this took half of the time of a save. If threads post one at a time, none waits for the mutex.
package enum NotificationTurn {
  private static let isTaken = Atomic<Bool>(false)
  /// How often a thread yields to the posting thread, whose observer may take long or save. After that, it posts too.
  private static let patience = 32

  /// Posts a notification to the default centre, on this thread.
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
  /// Whether this thread is creating an object from a row, so that the default values of properties are not needed.
  ///
  /// The code that the macro generates calls this in the initial value of every property's slot.
  @inlinable
  public static func _$isDecoding() -> Bool {
    osd_is_decoding()
  }

  /// Declares that the next initialiser call on this thread creates an object from a row.
  @inlinable
  public static func _$beginDecoding() {
    osd_set_decoding(true)
  }
}

/// Detects whether an observer tracks the reads of this thread.
///
/// Observation has no function for this, and reporting every read would create a registrar for every object that is
/// read. So the probe reports one read to its own registrar, with a key path that records whether it is hashed. The
/// registrar hashes the key path only if tracking is active. Objects report their reads only while tracking is active.
///
/// Each thread has its own probe. Tracking is per thread, so the probe detects it without access to the read object.
final class TrackingProbe {
  private let registrar = ObservationRegistrar()
  private let subject = ProbeSubject()
  private let keyPath: KeyPath<ProbeSubject, Int> = \ProbeSubject.[ProbeMark()]
  private let notices: Bool
  /// Whether observers have registered for changes of the probe. They stay registered, because the probe never changes.
  @exclusivity(unchecked) private var isObserved = false

  private init(notices: Bool) {
    self.notices = notices
  }

  /// True if reads are tracked, or if this probe cannot find out. Releases no object.
  fileprivate func suspectsTracking() -> Bool {
    registrar.access(subject, keyPath: keyPath)
    if osd_take_probe_note() { isObserved = true }
    return isObserved || !notices
  }

  /// True if reads are tracked. If the probe's observers have all finished tracking, it is replaced.
  fileprivate func isTracked() -> Bool {
    registrar.access(subject, keyPath: keyPath)
    if osd_take_probe_note() {
      isObserved = true
      return true
    }
    if isObserved { Self.makeProbe() }
    return !notices
  }

  /// Replaces this thread's probe. The release of the old probe removes the observers that are registered for it.
  /// These observers have finished tracking. They would stay registered, because a probe never changes.
  @inline(never) @discardableResult
  fileprivate static func makeProbe() -> TrackingProbe {
    let probe = TrackingProbe(notices: noticesTracking)
    osd_set_thread_probe(Unmanaged.passRetained(probe).toOpaque())
    return probe
  }

  /// Whether Observation hashes the key paths of tracked reads on this system. If it does not, every read counts as
  /// tracked, which is slower but correct.
  private static let noticesTracking = detectsTracking()

  /// Tests Observation. The caller's reads may be tracked, as is often the case for a program's first read. So the test
  /// reads only under its own tracking. If Observation also hashes untracked reads, all reads count as tracked.
  static func detectsTracking() -> Bool {
    let probe = TrackingProbe(notices: true)
    var isNoticed = false
    withObservationTracking({ isNoticed = probe.isTracked() }, onChange: {})
    // When tracking ends, Observation registers for changes and hashes the key path once more.
    _ = osd_take_probe_note()
    return isNoticed
  }
}

/// Whether the reads of this thread may be tracked. It is always true if they are, and sometimes true if they are not.
/// Only ``confirmTracking()`` is exact, but it may have side effects.
///
/// `releasenone` promises the optimiser that the function decreases no reference count that other code can see. So a
/// loop that reads objects need not retain each of them. This function only adds an entry to Observation's access list.
/// ``confirmTracking()`` may replace a probe and release the old one, so it does not make this promise.
@usableFromInline
@_effects(releasenone)
package func isReadingTracked() -> Bool {
  guard let address = osd_thread_probe() else { return true }
  return Unmanaged<TrackingProbe>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.suspectsTracking() }
}

/// Whether the reads of this thread are tracked. Call it only if ``isReadingTracked()`` has returned true.
package func confirmTracking() -> Bool {
  guard let address = osd_thread_probe() else { return TrackingProbe.makeProbe().isTracked() }
  // The old probe is retained during the call, which may replace it.
  return Unmanaged<TrackingProbe>.fromOpaque(address).takeUnretainedValue().isTracked()
}

/// The object that the probe reports as read.
private final class ProbeSubject: Observable {
  subscript(_: ProbeMark) -> Int { 0 }
}

/// A component of a key path. When it is hashed, it records for the current thread that it was hashed.
private struct ProbeMark: Hashable {
  func hash(into hasher: inout Hasher) {
    osd_note_probe()
  }
}

/// An observation registrar in an object of its own.
///
/// A model does not store a registrar inline. A registrar is a resilient struct, so every access to a property would
/// have to look up its layout, and creating it takes longer than decoding a row.
@usableFromInline
package final class ObservationBox {
  @usableFromInline package let registrar = ObservationRegistrar()
  /// Whether observers were already notified of the change that is being made. Until the new value is set, no change of
  /// the object notifies them. One flag for all properties suffices, because no code of the program runs until then.
  @usableFromInline package var isAnnounced = false

  package init() { osd_note_observer() }
}

/// The observation boxes of a context's models.
///
/// Each of the first 1,024 observed models gets its own box. Later models share boxes. If models share a box, an
/// observer may also be notified of changes of another model's property with the same name, but never misses a change.
/// Only models of one context share a box. So observers are never notified on a thread of another isolation domain.
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

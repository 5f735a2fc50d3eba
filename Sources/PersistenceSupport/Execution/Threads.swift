import Foundation
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
/// On Linux `Mutex` waits by a futex call of its own, which ThreadSanitizer does not intercept, so it reports every
/// guarded value as a race. It intercepts POSIX mutexes on every platform. An uncontended lock costs the same as a
/// `Mutex`; a contended one sleeps instead of spinning, so the owner can run whatever the priorities are.
///
/// Not recursive. Release no object under the lock whose `deinit` could take it again: that deadlocks.
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

    // Inlinable, so that the value is destroyed by its concrete type: the token of every new object has a lock.
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
  /// Blocks until the lock is free and takes it. Every path must call ``release()``.
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
  /// The address of the object; 0 before the first access. The box owns the object, so the address never changes again.
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
/// Unchecked: it is created only from `sending` values, which no other code can reach, and it is read once.
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

/// The main dispatch queue. The initial thread need not be the one that serves it.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

  /// Whether the caller runs where the main actor does: on the main queue, or on the initial thread before that thread
  /// serves the queue.
  package static var isRunningHere: Bool { isCurrent || Thread.isMainThread }
}

/// The order in which threads post notifications.
///
/// A mutex guards Foundation's centre, and hands itself on to the thread that waits for it. Once two threads have met there, each post of
/// each thread waits until another one has been woken: with eight that save at once it took half of the time of a save. Threads that come
/// one after the other never wait there.
package enum NotificationTurn {
  private static let isTaken = Atomic<Bool>(false)
  /// How often a thread lets others run before it posts beside them: an observer may take long, or save itself.
  private static let patience = 32

  /// Posts a notification with the default centre, on this thread.
  package static func post(_ name: Notification.Name, from sender: AnyObject, _ information: [AnyHashable: Any]? = nil)
  {
    let isOwn = take()
    NotificationCenter.default.post(name: name, object: sender, userInfo: information)
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

  /// Marks the next initialiser call on this thread as one that creates an object from a row.
  @inlinable
  public static func _$beginDecoding() {
    osd_set_decoding(true)
  }
}

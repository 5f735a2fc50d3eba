#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Synchronization
#endif

/// A value that one thread at a time uses. The only lock of the library, with the interface of Swift's `Mutex`.
///
/// On Linux a `Mutex` waits by a system call of its own, which ThreadSanitizer does not see: whatever is behind one looks
/// unguarded. It sees POSIX mutexes everywhere. One that nobody waits for costs what a `Mutex` does; a thread that has to
/// wait sleeps, so that whoever has the lock is not kept from running, whatever the priorities are.
///
/// Nothing may be released under a lock that could take it again in a `deinit`: a thread that takes it twice waits for ever.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    // Unsafe pointers, because a POSIX mutex must not move, which only memory from the heap promises. Both are in one piece
    // of it, the value behind the mutex; only `init` and `deinit` make and free them.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Makes a lock that nobody has.
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

    // Inlinable, so that what is guarded is let go of by its own type: tokens of new objects have a lock each.
    @inlinable
    deinit {
      value.deinitialize(count: 1)
      pthread_mutex_destroy(mutex)
      UnsafeMutableRawPointer(mutex).deallocate()
    }

    /// Runs a block that has the value for itself. Waits until no other thread has it.
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

    /// Makes a lock that nobody has.
    @inlinable
    package init(_ initialValue: consuming sending Value) {
      mutex = Mutex(initialValue)
    }

    /// Runs a block that has the value for itself. Waits until no other thread has it.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  #endif
}

// Unchecked: the value is `sending` when it comes in, and only the thread that has the mutex touches it.
extension Lock: @unchecked Sendable where Value: ~Copyable {}

/// A lock that guards what is beside it, for code that keeps what it guards where it is read without the lock too.
extension Lock where Value == Void {
  /// Waits until no other thread has the lock. ``release()`` has to follow on every way out.
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

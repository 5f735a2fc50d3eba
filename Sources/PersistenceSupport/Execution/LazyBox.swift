import Synchronization

/// Holds one object, which is made when it is first asked for and lives as long as the box.
///
/// The box does not name the object's type, so that its owner can hold an object of a module that it does not import.
/// Asking is one atomic load and counts no reference, which `AtomicLazyReference` would do.
@usableFromInline
package struct LazyBox: ~Copyable, Sendable {
  /// The address of the object; 0 until there is one. The box owns the object: the address never changes again.
  @usableFromInline let address = Atomic<UInt>(0)

  package init() {}

  deinit {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return }
    Unmanaged<AnyObject>.fromOpaque(pointer).release()
  }

  /// The object, which is valid only while the box is. A box has to be asked for the same type every time.
  ///
  /// - Parameter make: Makes the object. Threads that ask for the first time at once may each make one; all get the one
  ///   that was stored first.
  @inlinable
  @inline(__always)
  package borrowing func object<Object: AnyObject & Sendable>(make: () -> Object) -> Unmanaged<Object> {
    if let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
      return Unmanaged<Object>.fromOpaque(pointer)
    }
    return store(make())
  }

  /// Stores an object unless another thread was first, and returns the one that is stored.
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

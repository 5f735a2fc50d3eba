import Synchronization

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

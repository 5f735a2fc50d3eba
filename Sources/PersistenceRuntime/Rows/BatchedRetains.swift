import _CSwiftRuntime

/// References to one object that are retained in batches and handed out one by one.
///
/// Every object of a fetch retains the same identity map and group. An atomic retain per row drains the processor's
/// store buffer, which right after the creation of an object takes longer than decoding its row. The owner calls
/// ``close()``, which releases the remaining references.
@usableFromInline
struct BatchedRetains<Object: AnyObject> {
  @usableFromInline let object: Unmanaged<Object>
  @usableFromInline var count: UInt32 = 0
  private var next: UInt32 = 16

  @usableFromInline
  init(_ object: Object) {
    self.init(.passUnretained(object))
  }

  @usableFromInline
  init(_ object: Unmanaged<Object>) {
    self.object = object
  }

  /// Returns a retained reference, owned by the caller.
  @inlinable
  @inline(__always)
  mutating func take() -> Unmanaged<Object> {
    if count == 0 { fill() }
    count &-= 1
    return object
  }

  @usableFromInline
  mutating func fill() {
    _ = swift_retain_n(object.toOpaque(), next)
    count = next
    next = min(next &* 4, 1024)
  }

  @usableFromInline
  mutating func close() {
    if count > 0 { swift_release_n(object.toOpaque(), count) }
    count = 0
  }
}

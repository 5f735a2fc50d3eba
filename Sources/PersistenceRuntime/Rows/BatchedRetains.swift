import _CSwiftRuntime

/// References to one object that are counted together, to be given away one by one.
///
/// Each object of a fetch holds the same identity map and group. Counting that for every row has the processor wait until
/// all that it wrote before has arrived in memory, which for an object that has just been made takes longer than reading
/// its row. Whoever makes a stock closes it, which gives back what is left.
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

  /// A reference that is counted already, for the taker to keep.
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

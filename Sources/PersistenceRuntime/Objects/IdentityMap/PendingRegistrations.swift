/// Decoded objects to be registered in the identity map, in batches.
///
/// Locking drains the processor's store buffer. Right after the creation of an object that takes longer than decoding
/// its row, unless other rows are decoded in between. The caller retains the objects until ``drain(_:)``. For the
/// inserting side only.
struct PendingRegistrations: ~Copyable {
  private struct Entry {
    let key: Int64
    let address: UnsafeMutableRawPointer
  }

  private static let capacity = 16

  /// Allocated with the first object.
  private var entries: UnsafeMutablePointer<Entry>?
  private var count = 0
  private var greatestKey: Int64 = .min

  deinit {
    entries?.deallocate()
  }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == Self.capacity }

  /// Whether the object of a key is pending. Fast for ascending keys, the usual order of rows.
  @inline(__always)
  borrowing func contains(_ key: Int64) -> Bool {
    guard key <= greatestKey, let entries else { return false }
    return (0..<count).contains { entries[$0].key == key }
  }

  /// Adds an object. Precondition: not ``isFull``.
  @inline(__always)
  mutating func append(_ address: UnsafeMutableRawPointer, key: Int64) {
    let entries = entries ?? allocate()
    (entries + count).initialize(to: Entry(key: key, address: address))
    count &+= 1
    greatestKey = max(greatestKey, key)
  }

  /// Passes on all objects in order, and removes them.
  @inline(__always)
  mutating func drain(_ body: (UnsafeMutableRawPointer, Int64) -> Void) {
    if let entries {
      for index in 0..<count { body(entries[index].address, entries[index].key) }
    }
    count = 0
    greatestKey = .min
  }

  private mutating func allocate() -> UnsafeMutablePointer<Entry> {
    let allocated = UnsafeMutablePointer<Entry>.allocate(capacity: Self.capacity)
    entries = allocated
    return allocated
  }
}
